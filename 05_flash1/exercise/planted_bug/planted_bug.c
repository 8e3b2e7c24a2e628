/*
 * Exercise 05: one line of this kernel is wrong (planted_bug.h).
 * Run the tests first to learn which heads fail.
 */
#include "planted_bug.h"

#include "common/scores.h"

/* TODO: one of these lines is wrong. */
int planted_bug(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, h->tile);
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);
    array m_hbm = hbm_scratch(mem, h->Nq, 1, FP32);
    array l_hbm = hbm_scratch(mem, h->Nq, 1, FP32);

    if (mem->error)
        return mem->error;

    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, m_hbm, -INFINITY);
    fill_as(mem, INIT, l_hbm, 0);

    for (span j = first(h->Nk, t.Bc); j.n; j = next(j)) {
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            load(mem, &Q, h->Q, i);
            load(mem, &O, h->O, i);
            load_floats(mem, m, m_hbm, i);
            load_floats(mem, l, l_hbm, i);
            scores(h, mem, &S, Q, K, i, j);
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_tile = max_of(s, t.Bc);
                float m_new = fmaxf(m[r], m_tile);
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float old = rescale_factor(mem, m[r], m_new) * l[r];

                l[r] = old + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, ratio(old, l[r]), h->dv);
                add_divided(mem, o, 1, pv, l[r], h->dv);
                m[r] = m_new;
            }
            store(mem, h->O, i, O);
            store_floats(mem, m_hbm, i, m);
            store_floats(mem, l_hbm, i, l);
        }
    }
    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) { /* L = m + ln l */
        load_floats_as(mem, LSE, m, m_hbm, i);
        load_floats_as(mem, LSE, l, l_hbm, i);
        for (size_t r = 0; r < i.n; r++)
            m[r] += logf(l[r]);
        store_floats_as(mem, LSE, h->L, i, m);
    }
    return mem->error;
}
