/*
 * FlashAttention-2 for keys that are only a chunk of all keys.
 *
 * Changed since flash2: the result is not divided by l. It is merged into h->m,
 * h->l and h->O, the result of earlier chunks. docs/ring.md
 */
#include "06_flash2/ring/ranks.h"
#include "06_flash2/steps.h"
#include "common/scores.h"

/* ANCHOR: kernel */
int attend_chunk(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, flash2_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc), all = scratch(mem, 1, h->dv);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        if (seen(h, i) == 0)
            continue; /* these queries see none of the keys */
        load(mem, &Q, h->Q, i);
        clear(&O, i);
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            /* load */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores */
            scores(h, mem, &S, Q, K, i, j);
            /* update: the same as in flash2 */
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
        /* finish: merge instead of a division */
        for (size_t r = 0; r < i.n; r++) {
            span at = one(i.first + r);
            float m_all, l_all;

            load(mem, &all, h->O, at);
            load_floats(mem, &m_all, h->m, at);
            load_floats(mem, &l_all, h->l, at);
            merge_part(mem, &m_all, &l_all, all.data, m[r], l[r], row(O, r),
                       h->dv);
            store(mem, h->O, at, all);
            store_floats(mem, h->m, at, &m_all);
            store_floats(mem, h->l, at, &l_all);
        }
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
