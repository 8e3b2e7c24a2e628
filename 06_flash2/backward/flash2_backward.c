/*
 * The backward pass of FlashAttention-2: L instead of m and l.
 *
 * Changed since flash1_backward: a weight is e^{S - L}, which needs no
 * division. D is computed before the loops. So the loops need no tile of O, and
 * the other tiles can have more rows.
 *
 *     P_ij = e^{S_ij - L_i}              D_i = dO_i . O_i, once
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 2. It has D in R^d instead of
 * R^N, loads O_i without a use, loads dQ_i twice, and leaves the scale out
 * (docs/errata.md). docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: dots */
/* Line 4: stores D = rowsum(dO o O), with the element-wise product o. */
static void store_dots(const gradients *g, memory *mem, array D_hbm, float *D,
                       matrix O, matrix dO)
{
    const head *h = &g->h;

    for (span i = first(h->Nq, min_size(O.rows, dO.rows)); i.n; i = next(i)) {
        load(mem, &O, h->O, i);
        load(mem, &dO, g->dO, i);
        for (size_t r = 0; r < i.n; r++)
            D[r] = dot(row(dO, r), row(O, r), h->dv);
        store_floats(mem, D_hbm, i, D);
    }
}
/* ANCHOR_END: dots */

/* ANCHOR: kernel */
int flash2_backward(const gradients *g, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = trimmed(h, flash2_backward_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), dQ = on_chip(mem, t.Br, h->d);
    matrix dO = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix dK = on_chip(mem, t.Bc, h->d), dV = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *L = scratch_floats(mem, t.Br), *D = scratch_floats(mem, t.Br);
    float *ds = scratch_floats(mem, t.Bc), *sum = scratch_floats(mem, h->d);
    array D_hbm = hbm_scratch(mem, h->Nq, 1, FP32);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem);
    fill_as(mem, INIT, g->dQ, 0); /* line 3 */
    /* line 4: the tile of V is unused so far: it serves as a tile of O */
    if (seen(h, all(h->Nq)) > 0)
        store_dots(g, mem, D_hbm, D, V, dO);
    /* line 5: for each tile of keys */
    for (span j = first(seen(h, all(h->Nq)), t.Bc); j.n; j = next(j)) {
        /* load: line 6 */
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        begin_sum(g, mem, &dK, g->dK, j); /* line 7: dK, dV stay on chip */
        begin_sum(g, mem, &dV, g->dV, j);
        /* line 8: for each tile of queries */
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            if (!visible(h, i, j))
                continue;
            /* line 9 without O, which is not used */
            load(mem, &Q, h->Q, i);
            load(mem, &dO, g->dO, i);
            load(mem, &dQ, g->dQ, i);
            load_floats(mem, L, h->L, i);
            load_floats(mem, D, D_hbm, i);
            /* scores: line 10 */
            scores(h, mem, &S, Q, K, i, j);
            /* update */
            for (size_t r = 0; r < i.n; r++) {
                float *p = row(S, r), *q = row(Q, r), *dO_r = row(dO, r);

                exponentiate(mem, h, p, j.n, L[r]); /* line 11 */
                add_to_keys(dV, p, p, dO_r);        /* line 12 */
                /* lines 13, 14: dP and dS */
                score_gradients(g, ds, p, dO_r, V, D[r], q, K);
                add_to_query(row(dQ, r), sum, p, ds, K); /* line 15 */
                add_to_keys(dK, p, ds, q);               /* line 16 */
            }
            /* line 15: dQ is loaded again for the next tile of keys */
            store(mem, g->dQ, i, dQ);
        }
        /* finish: line 18 */
        store(mem, g->dK, j, dK);
        store(mem, g->dV, j, dV);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
