/*
 * A tile of queries visits all its keys without interruption. So Q is loaded,
 * and O and L are stored, outside the inner loop. m and l need no HBM scratch,
 * and O is divided once.
 */
#include "swap_loops.h"

#include "common/scores.h"

int swap_loops(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, h->tile);
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i);
        clear(&O, i);
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            scores(h, mem, &S, Q, K, i, j);
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n));
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv);
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
        }
        for (size_t r = 0; r < i.n; r++) {
            divide(mem, row(O, r), l[r], h->dv);
            m[r] += logf(l[r]);
        }
        store(mem, h->O, i, O);
        store_floats_as(mem, LSE, h->L, i, m);
    }
    return mem->error;
}
