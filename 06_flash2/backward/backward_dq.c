/*
 * The kernel for dQ: the outer loop is over queries.
 *
 * Changed since flash2: the sum is dQ instead of O. D is computed before the
 * inner loop and stored for backward_dkv. L is an input, so there is no maximum
 * and no rescale.
 *
 *     dQ_i = sum_j dS_ij K_j             D_i = dO_i . O_i
 *
 * The cost of two kernels: each of them computes scores and dP, so there are
 * seven products instead of five. docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int backward_dq(const gradients *g, array D_hbm, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = trimmed(h, dq_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix dQ = on_chip(mem, t.Br, h->d), dO = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *L = scratch_floats(mem, t.Br), *D = scratch_floats(mem, t.Br);
    float *ds = scratch_floats(mem, t.Bc), *sum = scratch_floats(mem, h->d);

    if (mem->error)
        return mem->error;

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i);
        load(mem, &O, h->O, i);
        load(mem, &dO, g->dO, i);
        load_floats(mem, L, h->L, i);
        clear(&dQ, i);
        for (size_t r = 0; r < i.n; r++)
            D[r] = dot(row(dO, r), row(O, r), h->dv);
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            if (!visible(h, i, j))
                continue;
            /* load */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores */
            scores(h, mem, &S, Q, K, i, j);
            /* update: as in flash2_backward, without dK and dV */
            for (size_t r = 0; r < i.n; r++) {
                float *p = row(S, r), *q = row(Q, r), *dO_r = row(dO, r);

                exponentiate(mem, h, p, j.n, L[r]);
                score_gradients(g, ds, p, dO_r, V, D[r], q, K);
                add_to_query(row(dQ, r), sum, p, ds, K);
            }
        }
        /* finish */
        store(mem, g->dQ, i, dQ);
        store_floats(mem, D_hbm, i, D);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
