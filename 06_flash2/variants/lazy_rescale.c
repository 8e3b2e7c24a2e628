/*
 * Lazy rescaling: rescales only if the maximum grows by more than ln 256.
 *
 * Changed since flash2: m does not change while no score exceeds it by more
 * than tau = ln 256. Then l and O need no rescale. Any m gives the same result,
 * because the division by l cancels it. m must only keep e^{s - m} in the range
 * of fp32.
 *
 *     m'_i = m_i  if max_j S_ij - m_i <= tau,  else max_j S_ij
 *
 * The cost: a weight can be 256 instead of 1, so l and O overflow earlier.
 *
 * FlashAttention-4 does this with tau = 8 in base 2. The line numbers in the
 * comments are those of FlashAttention-2's Algorithm 1. docs/variants.md
 */
#include "06_flash2/variants/steps.h"

#include "common/scores.h"

/* ANCHOR: tau */
static const float tau = 5.545177f; /* ln 256, which is 8 in base 2 */
/* ANCHOR_END: tau */

/* ANCHOR: kernel */
int lazy_rescale(const head *h, memory *mem)
{
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
            /* update */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n)); /* line 9 */

                if (!(m_new - m[r] <= tau)) { /* true while m is -inf */
                    float alpha = rescale_factor(mem, m[r], m_new);

                    l[r] *= alpha;
                    rescale(mem, o, alpha, h->dv);
                    m[r] = m_new;
                }
                /* each weight is at most 256 */
                l[r] += exponentiate(mem, h, s, j.n, m[r]);
                weighted_sum(pv, s, V);
                axpy(o, 1, pv, h->dv);
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
