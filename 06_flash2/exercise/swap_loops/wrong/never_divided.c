/* wrong: leaves out the division with the stores */
/* message: is O divided by l at the end? */
#include "swap_loops.h"

#include "common/scores.h"

int swap_loops(const head *h, memory *mem)
{
    size_t rows = min_size(h->Br, h->Nq), keys = min_size(h->Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i0 = 0; i0 < h->Nq; i0 += h->Br) {
        size_t br = min_size(h->Br, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, br);

        load(mem, top(Q, br), h->Q, i0, 0);
        fill(O, 0);
        fill(column(m, br), -INFINITY);
        fill(column(l, br), 0);
        for (size_t j0 = 0; j0 < seen; j0 += h->Bc) {
            size_t bc = min_size(h->Bc, seen - j0);

            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_new = fmaxf(m[i], max_of(s, bc));
                float alpha = exp_minus(m[i], m_new);

                l[i] = alpha * l[i] + weights(h, s, bc, m_new);
                weighted_sum(pv, s, top(V, bc));
                rescale(o, alpha, h->dv);
                axpy(o, 1, pv, h->dv);
                m[i] = m_new;
            }
        }
        for (size_t i = 0; i < br; i++) {
            float L = m[i] + logf(l[i]);

            store_as(mem, LSE, h->L, i0 + i, 0, column(&L, 1));
        }
        store(mem, h->O, i0, 0, top(O, br));
    }
    return mem->error;
}
