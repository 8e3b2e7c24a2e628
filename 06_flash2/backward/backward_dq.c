/*
 * dQ on its own: with the queries outside nothing travels.
 *
 * Changed since flash2: what is added up. The loops are the forward pass's; a
 * tile of queries stays on chip with its dQ until that is done, and makes its
 * D on the way, for backward_dkv too. No maximum is looked for, nothing is
 * rescaled: L is known.
 *
 *     dQ_i = sum_j dS_ij K_j             D_i = dO_i . O_i
 *
 * The price of two kernels: scores and dP are computed in both, seven products
 * in place of five. docs/backward.md
 */
#include "06_flash2/backward/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int backward_dq(const gradients *g, array D_hbm, memory *mem)
{
    const head *h = &g->h;
    tile_sizes t = dq_tiles(h, mem->M);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix dQ = on_chip(mem, rows, h->d), dO = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *L = scratch_floats(mem, rows), *D = scratch_floats(mem, rows);
    float *ds = scratch_floats(mem, keys), *sum = scratch_floats(mem, h->d);

    if (mem->error)
        return mem->error;

    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, br);

        load(mem, top(Q, br), h->Q, i0, 0);
        load(mem, top(O, br), h->O, i0, 0);
        load(mem, top(dO, br), g->dO, i0, 0);
        load(mem, column(L, br), h->L, i0, 0);
        fill(dQ, 0);
        for (size_t i = 0; i < br; i++)
            D[i] = dot(row(dO, i), row(O, i), h->dv);
        for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
            size_t bc = min_size(t.Bc, seen - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            /* load */
            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            /* scores */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update: flash2_backward's, of dQ alone */
            for (size_t i = 0; i < br; i++) {
                float *p = row(S, i), *q = row(Q, i), *dO_i = row(dO, i);

                weights(h, p, bc, L[i]);
                score_gradients(g, ds, p, dO_i, top(V, bc), D[i], q, K);
                add_to_query(row(dQ, i), sum, p, ds, top(K, bc));
                count(mem, (counts){.exps = bc});
            }
        }
        /* finish */
        store(mem, g->dQ, i0, 0, top(dQ, br));
        store(mem, D_hbm, i0, 0, column(D, br));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
