/*
 * dK and dV on their own: with the keys outside nothing travels.
 *
 * Changed since flash2_backward: dQ is left to a kernel of its own
 * (backward_dq), which has also made D. What is left adds to dK and dV alone,
 * and they stay on chip until they are done. So no gradient is ever read back,
 * and blocks of keys are independent.
 *
 * FlashAttention-2 adds to one dQ from many blocks at once, with atomics, in
 * any order; two kernels always give the same bits. docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int backward_dkv(const gradients *g, array D_hbm, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = two_kernel_tiles(h, mem->M);
    size_t seen = keys_seen_by(h, 0, h->Nq);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), dO = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix dK = on_chip(mem, keys, h->d), dV = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *L = scratch_floats(mem, rows), *D = scratch_floats(mem, rows);
    float *ds = scratch_floats(mem, keys);

    if (mem->error)
        return mem->error;

    clear_unseen(g, mem, seen);
    for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
        size_t bc = min_size(t.Bc, seen - j0);

        /* load */
        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        fill(dK, 0);
        fill(dV, 0);
        if (g->add) { /* a head before has left its own there */
            load(mem, top(dK, bc), g->dK, j0, 0);
            load(mem, top(dV, bc), g->dV, j0, 0);
        }
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(dO, br), g->dO, i0, 0);
            load(mem, column(L, br), h->L, i0, 0);
            load(mem, column(D, br), D_hbm, i0, 0);
            /* scores */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update: flash2_backward's, without dQ */
            for (size_t i = 0; i < br; i++) {
                float *p = row(S, i), *q = row(Q, i), *dO_i = row(dO, i);

                weights(h, p, bc, L[i]);
                add_to_keys(top(dV, bc), p, p, dO_i);
                score_gradients(g, ds, p, dO_i, top(V, bc), D[i], q, K);
                add_to_keys(top(dK, bc), p, ds, q);
                count(mem, (counts){.exps = bc});
            }
        }
        /* finish */
        store(mem, g->dK, j0, 0, top(dK, bc));
        store(mem, g->dV, j0, 0, top(dV, bc));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
