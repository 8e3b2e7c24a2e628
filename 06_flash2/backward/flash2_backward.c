/*
 * FlashAttention-2's backward pass: one number a row in place of two, D once.
 *
 * Changed since flash1_backward: flash2 has kept L = m + ln l, so that a
 * weight is e^{S - L}, without a division; and D is made before the loops. So
 * they need no tile of O, and the other tiles can be longer.
 *
 *     P_ij = e^{S_ij - L_i}              D_i = dO_i . O_i, once
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 2. It says that D is in R^d,
 * where it is in R^N; it loads O_i, which it does not use, and dQ_i twice; and
 * it leaves the scale out (docs/errata.md). docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: dots */
/* Line 4: D = rowsum(dO o O), as many rows at a time as both tiles have. */
static void store_dots(const gradients *g, memory *mem, array D_hbm, float *D,
                       matrix O, matrix dO)
{
    const head *h = &g->h;
    size_t rows = min_size(O.rows, dO.rows);

    for (size_t i0 = 0; i0 < h->Nq; i0 += rows) {
        size_t br = min_size(rows, h->Nq - i0);

        load(mem, top(O, br), h->O, i0, 0);
        load(mem, top(dO, br), g->dO, i0, 0);
        for (size_t i = 0; i < br; i++)
            D[i] = dot(row(dO, i), row(O, i), h->dv);
        store(mem, D_hbm, i0, 0, column(D, br));
    }
}
/* ANCHOR_END: dots */

/* ANCHOR: kernel */
int flash2_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = flash2_backward_tiles(h, mem->M);
    size_t seen = keys_seen_by(h, 0, h->Nq);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), dQ = on_chip(mem, rows, h->d);
    matrix dO = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix dK = on_chip(mem, keys, h->d), dV = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *L = scratch_floats(mem, rows), *D = scratch_floats(mem, rows);
    float *ds = scratch_floats(mem, keys), *sum = scratch_floats(mem, h->d);
    array D_hbm = hbm_scratch(mem, h->Nq, 1, FP32);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem, seen);
    fill_as(mem, INIT, g->dQ, 0); /* line 3 */
    if (seen > 0) /* V's tile is free until then, and as wide as O */
        store_dots(g, mem, D_hbm, D, V, dO);
    /* line 5: a tile of keys, for which every tile of queries is fetched */
    for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
        size_t bc = min_size(t.Bc, seen - j0);

        /* load: line 6 */
        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        fill(dK, 0); /* line 7: they stay on chip */
        fill(dV, 0);
        if (g->add) { /* a head before has left its own there */
            load(mem, top(dK, bc), g->dK, j0, 0);
            load(mem, top(dV, bc), g->dV, j0, 0);
        }
        /* line 8: all queries pass by */
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            /* line 9, less O, which nobody needs here */
            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(dO, br), g->dO, i0, 0);
            load(mem, top(dQ, br), g->dQ, i0, 0);
            load(mem, column(L, br), h->L, i0, 0);
            load(mem, column(D, br), D_hbm, i0, 0);
            /* scores: line 10 */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *p = row(S, i), *q = row(Q, i), *dO_i = row(dO, i);

                weights(h, p, bc, L[i]);              /* line 11 */
                add_to_keys(top(dV, bc), p, p, dO_i); /* line 12 */
                /* lines 13, 14: dP, and from it dS */
                score_gradients(g, ds, p, dO_i, top(V, bc), D[i], q, K);
                add_to_query(row(dQ, i), sum, p, ds, top(K, bc)); /* line 15 */
                add_to_keys(top(dK, bc), p, ds, q);               /* line 16 */
                count(mem, (counts){.exps = bc});
            }
            /* line 15: put down until the next visit */
            store(mem, g->dQ, i0, 0, top(dQ, br));
        }
        /* finish: line 18 */
        store(mem, g->dK, j0, 0, top(dK, bc));
        store(mem, g->dV, j0, 0, top(dV, bc));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
