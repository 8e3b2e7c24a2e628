/*
 * The kernel for dK and dV: the outer loop is over keys.
 *
 * Changed since flash2_backward: another kernel (backward_dq) has computed dQ
 * and D. This kernel adds only to dK and dV, which stay on chip. So blocks of
 * keys are independent.
 *
 * In FlashAttention-2 many blocks add to one dQ with atomics, in any order. With
 * two kernels one block writes each number, so every run gives the same bits.
 * docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int backward_dkv(const gradients *g, array D_hbm, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = trimmed(h, two_kernel_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), dO = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix dK = on_chip(mem, t.Bc, h->d), dV = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *L = scratch_floats(mem, t.Br), *D = scratch_floats(mem, t.Br);
    float *ds = scratch_floats(mem, t.Bc);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem);
    for (span j = first(seen(h, all(h->Nq)), t.Bc); j.n; j = next(j)) {
        /* load */
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        begin_sum(g, mem, &dK, g->dK, j);
        begin_sum(g, mem, &dV, g->dV, j);
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            if (!visible(h, i, j))
                continue;
            load(mem, &Q, h->Q, i);
            load(mem, &dO, g->dO, i);
            load_floats(mem, L, h->L, i);
            load_floats(mem, D, D_hbm, i);
            /* scores */
            scores(h, mem, &S, Q, K, i, j);
            /* update: as in flash2_backward, without dQ */
            for (size_t r = 0; r < i.n; r++) {
                float *p = row(S, r), *q = row(Q, r), *dO_r = row(dO, r);

                exponentiate(mem, h, p, j.n, L[r]);
                add_to_keys(dV, p, p, dO_r);
                score_gradients(g, ds, p, dO_r, V, D[r], q, K);
                add_to_keys(dK, p, ds, q);
            }
        }
        /* finish */
        store(mem, g->dK, j, dK);
        store(mem, g->dV, j, dV);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
