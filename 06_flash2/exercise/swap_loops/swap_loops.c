/* Exercise 06: FlashAttention-1, to be turned inside out (swap_loops.h). */
#include "swap_loops.h"

#include "common/scores.h"

/* TODO: turn the two loops inside out. */
int swap_loops(const head *h, memory *mem)
{
    size_t rows = min_size(h->Br, h->Nq), keys = min_size(h->Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);
    array m_hbm = hbm_scratch(mem, h->Nq, 1, FP32);
    array l_hbm = hbm_scratch(mem, h->Nq, 1, FP32);

    if (mem->error)
        return mem->error;

    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, m_hbm, -INFINITY);
    fill_as(mem, INIT, l_hbm, 0);

    for (size_t j0 = 0; j0 < h->Nk; j0 += h->Bc) {
        size_t bc = min_size(h->Bc, h->Nk - j0);

        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        for (size_t i0 = 0; i0 < h->Nq; i0 += h->Br) {
            size_t br = min_size(h->Br, h->Nq - i0);

            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(O, br), h->O, i0, 0);
            load(mem, column(m, br), m_hbm, i0, 0);
            load(mem, column(l, br), l_hbm, i0, 0);
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_tile = max_of(s, bc);
                float m_new = fmaxf(m[i], m_tile);
                float alpha = exp_minus(m[i], m_new);
                float old = alpha * l[i];

                l[i] = old + weights(h, s, bc, m_new);
                weighted_sum(pv, s, top(V, bc));
                rescale(o, ratio(old, l[i]), h->dv);
                axpy(o, inverse(l[i]), pv, h->dv);
                m[i] = m_new;
            }
            store(mem, h->O, i0, 0, top(O, br));
            store(mem, m_hbm, i0, 0, column(m, br));
            store(mem, l_hbm, i0, 0, column(l, br));
            for (size_t i = 0; i < br && j0 + bc == h->Nk; i++) {
                float L = m[i] + logf(l[i]);

                store_as(mem, LSE, h->L, i0 + i, 0, column(&L, 1));
            }
        }
    }
    return mem->error;
}
