/* wrong: o begins as what happens to lie there */
/* message: fresh memory was read, and is NaN */
#include "write_tiled.h"

#include "common/scores.h"

int write_tiled(const head *h, memory *mem)
{
    size_t keys = min_size(h->Bc, h->Nk);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix s_row = scratch(mem, 1, keys);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        size_t seen = keys_seen(h, i);
        float m = -INFINITY, l = 0, L;

        load(mem, q, h->Q, i, 0);
        for (size_t j0 = 0; j0 < seen; j0 += h->Bc) {
            size_t bc = min_size(h->Bc, seen - j0);
            matrix s = block(s_row, 0, 0, 1, bc);
            float m_new, alpha;

            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            scores(h, mem, s, q, K, i, j0);
            m_new = fmaxf(m, max_of(s.data, bc));
            alpha = exp_minus(m, m_new);
            l = alpha * l + weights(h, s.data, bc, m_new);
            weighted_sum(pv, s.data, top(V, bc));
            rescale(o.data, alpha, h->dv);
            axpy(o.data, 1, pv, h->dv);
            m = m_new;
        }
        rescale(o.data, inverse(l), h->dv);
        store(mem, h->O, i, 0, o);
        L = m + logf(l);
        store(mem, h->L, i, 0, column(&L, 1));
    }
    return mem->error;
}
