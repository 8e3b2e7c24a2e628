/*
 * FlashAttention's backward pass: P is made again, not stored.
 *
 * Changed since flash1: what is added up. The loops and the tiles of Q, K, V
 * and O are the forward pass's. A visit of a tile of queries to a tile of keys
 * makes their scores again, and from them the weights, which is possible at
 * once because flash1 has kept m and l of each row. It adds to dK and dV,
 * which stay on chip with the keys, and to dQ, which travels like O did.
 *
 *     P_ij = e^{S_ij - m_i} / l_i        D_i = dO_i . O_i, at every visit
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 4, without dropout. Its tiles
 * (M / 4d rows) do not fit in M: eight are on chip, not four (docs/errata.md).
 * docs/backward.md
 */
#include "05_flash1/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int flash1_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = flash1_backward_tiles(h, mem->M);
    size_t seen = keys_seen_by(h, 0, h->Nq);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix dQ = on_chip(mem, rows, h->d), dO = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix dK = on_chip(mem, keys, h->d), dV = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *ds = scratch_floats(mem, keys), *sum = scratch_floats(mem, h->d);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem, seen);
    fill_as(mem, INIT, g->dQ, 0); /* line 5 */
    /* line 6: a tile of keys, for which every tile of queries is fetched */
    for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
        size_t bc = min_size(t.Bc, seen - j0);

        /* load: line 7 */
        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        fill(dK, 0); /* line 8: they stay on chip */
        fill(dV, 0);
        if (g->add) { /* a head before has left its own there */
            load(mem, top(dK, bc), g->dK, j0, 0);
            load(mem, top(dV, bc), g->dV, j0, 0);
        }
        /* line 9: all queries pass by */
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            /* line 10: dQ in addition to all that is only read */
            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(O, br), h->O, i0, 0);
            load(mem, top(dO, br), g->dO, i0, 0);
            load(mem, top(dQ, br), g->dQ, i0, 0);
            load(mem, column(m, br), h->kept.m, i0, 0);
            load(mem, column(l, br), h->kept.l, i0, 0);
            /* scores: lines 11, 12 */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *p = row(S, i), *q = row(Q, i), *dO_i = row(dO, i);
                float D = dot(dO_i, row(O, i), h->dv); /* line 19 */

                normalised_weights(h, p, bc, m[i], l[i]); /* line 13 */
                add_to_keys(top(dV, bc), p, p, dO_i);     /* line 16 */
                /* lines 17, 20: dP, and from it dS */
                score_gradients(g, ds, p, dO_i, top(V, bc), D, q, K);
                add_to_query(row(dQ, i), sum, p, ds, top(K, bc)); /* line 21 */
                add_to_keys(top(dK, bc), p, ds, q);               /* line 22 */
                count(mem, (counts){.exps = bc, .divisions = bc});
            }
            /* line 21: put down until the next visit */
            store(mem, g->dQ, i0, 0, top(dQ, br));
        }
        /* finish: line 24 */
        store(mem, g->dK, j0, 0, top(dK, bc));
        store(mem, g->dV, j0, 0, top(dV, bc));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
