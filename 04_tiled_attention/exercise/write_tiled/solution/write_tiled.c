/*
 * Loads the keys of each query a tile at a time. o is divided by l once, after
 * the last tile. Dividing o after every tile would also be right.
 */
#include "write_tiled.h"

#include "common/scores.h"

int write_tiled(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, h->tile);
    matrix q = on_chip(mem, 1, h->d), o = on_chip(mem, 1, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix s = scratch(mem, 1, t.Bc);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (size_t i = 0; i < h->Nq; i++) {
        float m = -INFINITY, l = 0, L;

        load(mem, &q, h->Q, one(i));
        fill(o, 0);
        for (span j = first(seen(h, one(i)), t.Bc); j.n; j = next(j)) {
            float m_new, alpha;

            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            scores(h, mem, &s, q, K, one(i), j);
            m_new = fmaxf(m, max_of(s.data, j.n));
            alpha = rescale_factor(mem, m, m_new);
            l = alpha * l + exponentiate(mem, h, s.data, j.n, m_new);
            weighted_sum(pv, s.data, V);
            rescale(mem, o.data, alpha, h->dv);
            axpy(o.data, 1, pv, h->dv);
            m = m_new;
        }
        divide(mem, o.data, l, h->dv);
        store(mem, h->O, one(i), o);
        L = m + logf(l);
        store_floats(mem, h->L, one(i), &L);
    }
    return mem->error;
}
