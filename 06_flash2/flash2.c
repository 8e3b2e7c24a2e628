/*
 * FlashAttention-2: the two loops are swapped.
 *
 * Changed since flash2_deferred: the outer loop is over tiles of Br queries,
 * and the inner loop is over tiles of keys. So O, m and l of a query tile stay
 * on chip. Each query tile loads K and V of all keys that it sees.
 *
 *     m'_i = max(m_i, max_j S_ij)
 *     l'_i = l_i e^{m_i - m'_i} + sum_j e^{S_ij - m'_i}
 *     O_i <- e^{m_i - m'_i} O_i + P_i V           at the end: O_i / l_i
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 1: the comments give its line
 * numbers. Line 10 in the paper inverts the factor of O by mistake. On the
 * first tile of keys the result would be inf * 0 = NaN (docs/errata.md).
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int flash2(const head *h, memory *mem)
{
    /* lines 1, 2: the tiles of Q, K, V and O fit in M elements */
    tile_sizes t = trimmed(h, flash2_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    /* line 3: tiles of queries are independent of each other */
    for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
        load(mem, &Q, h->Q, i); /* line 4: Q is loaded once */
        clear(&O, i);           /* line 5: O, m and l stay on chip */
        fill_floats(m, i, -INFINITY);
        fill_floats(l, i, 0);
        /* line 6: loop over the keys that these queries see */
        for (span j = first(seen(h, i), t.Bc); j.n; j = next(j)) {
            if (!visible(h, i, j))
                continue; /* these queries see none of the keys */
            /* load: line 7; K and V are only read */
            load(mem, &K, h->K, j);
            load(mem, &V, h->V, j);
            /* scores: line 8 */
            scores(h, mem, &S, Q, K, i, j);
            /* update: m, P~ and l by line 9, O by line 10 */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n));
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile;
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv); /* the paper has 1 / alpha */
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
        }
        /* finish */
        for (size_t r = 0; r < i.n; r++) {
            divide(mem, row(O, r), l[r], h->dv); /* line 12: once per row */
            m[r] += logf(l[r]);                  /* line 13: m is L now */
        }
        store(mem, h->O, i, O); /* lines 14, 15 */
        store_floats(mem, h->L, i, m);
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
