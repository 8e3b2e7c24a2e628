/*
 * FlashAttention's backward pass: P is recomputed, not stored.
 *
 * Changed since flash1: the sums are dQ, dK and dV. The loops are those of
 * flash1. Each pair of tiles recomputes its scores, and computes its weights
 * from the m and l that flash1 stored. dK and dV stay on chip with the keys. dQ
 * is loaded and stored for each tile of keys, like O in flash1.
 *
 *     P_ij = e^{S_ij - m_i} / l_i        D_i = dO_i . O_i (for each tile pair)
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 4, without dropout. The tiles of
 * the paper (M / 4d rows) do not fit in M, because eight tiles are on chip, not
 * four (docs/errata.md). docs/backward.md
 */
#include "05_flash1/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int flash1_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = trimmed(h, flash1_backward_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix dQ = on_chip(mem, t.Br, h->d), dO = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix dK = on_chip(mem, t.Bc, h->d), dV = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *ds = scratch_floats(mem, t.Bc), *sum = scratch_floats(mem, h->d);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem);
    fill_as(mem, INIT, g->dQ, 0); /* line 5 */
    /* line 6: for each tile of keys */
    for (span j = first(seen(h, all(h->Nq)), t.Bc); j.n; j = next(j)) {
        /* load: line 7 */
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        begin_sum(g, mem, &dK, g->dK, j); /* line 8: dK, dV stay on chip */
        begin_sum(g, mem, &dV, g->dV, j);
        /* line 9: the tiles of queries that see keys j */
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            if (!visible(h, i, j))
                continue;
            /* line 10: the inputs, and dQ to be updated */
            load(mem, &Q, h->Q, i);
            load(mem, &O, h->O, i);
            load(mem, &dO, g->dO, i);
            load(mem, &dQ, g->dQ, i);
            load_floats(mem, m, h->m, i);
            load_floats(mem, l, h->l, i);
            /* scores: lines 11, 12 */
            scores(h, mem, &S, Q, K, i, j);
            /* update */
            for (size_t r = 0; r < i.n; r++) {
                float *p = row(S, r), *q = row(Q, r), *dO_r = row(dO, r);
                float D = dot(dO_r, row(O, r), h->dv); /* line 19 */

                exponentiate_divided(mem, h, p, j.n, m[r], l[r]); /* line 13 */
                add_to_keys(dV, p, p, dO_r);                      /* line 16 */
                /* lines 17, 20: dP, then dS */
                score_gradients(g, ds, p, dO_r, V, D, q, K);
                add_to_query(row(dQ, r), sum, p, ds, K); /* line 21 */
                add_to_keys(dK, p, ds, q);               /* line 22 */
            }
            /* line 21: stores dQ for the next tile of keys */
            store(mem, g->dQ, i, dQ);
        }
        /* finish: line 24 */
        store(mem, g->dK, j, dK);
        store(mem, g->dV, j, dV);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
