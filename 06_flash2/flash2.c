/*
 * FlashAttention-2: the loops swapped.
 *
 * Changed since flash2_deferred: the outer loop is over tiles of Br queries,
 * the inner one over tiles of keys. O, m and l of a query tile stay on chip
 * until they are done; only O and L are written, once. Nothing is initialised
 * in HBM, nothing is read back. K and V travel instead.
 *
 *     m'_i = max(m_i, max_j S_ij)
 *     l'_i = l_i e^{m_i - m'_i} + sum_j e^{S_ij - m'_i}
 *     O_i <- e^{m_i - m'_i} O_i + P_i V           at the end: O_i / l_i
 *
 * FlashAttention-2, arXiv 2307.08691, Algorithm 1. Its line 10 prints the
 * factor of O with an exponent -1 that does not belong there: on a first tile
 * it would give inf * 0 = NaN (docs/errata.md). docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

/* ANCHOR: kernel */
int flash2(const head *h, memory *mem)
{
    /* lines 1, 2: tiles that fill M */
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    /* line 3: a tile of queries, which shares nothing with the others */
    for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
        size_t br = min_size(t.Br, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, br);

        load(mem, top(Q, br), h->Q, i0, 0); /* line 4: once */
        fill(O, 0);                         /* line 5: it stays on chip */
        fill(column(m, br), m_before(h));
        fill(column(l, br), l_before(h));
        /* line 6: all the keys that they see */
        for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
            size_t bc = min_size(t.Bc, seen - j0);

            if (is_unseen(h, i0, br, j0, bc))
                continue; /* nobody here sees these keys */
            /* load: line 7; what travels is only read */
            load(mem, top(K, bc), h->K, j0, 0);
            load(mem, top(V, bc), h->V, j0, 0);
            /* scores: line 8 */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_new = fmaxf(m[i], max_of(s, bc)); /* line 9 */
                float alpha = exp_minus(m[i], m_new);     /* 0 at first */

                l[i] = alpha * l[i] + weights(h, s, bc, m_new); /* line 9 */
                weighted_sum(pv, s, top(V, bc));
                rescale(o, alpha, h->dv); /* line 10, less its stray ^-1 */
                axpy(o, 1, pv, h->dv);
                m[i] = m_new;
                count(mem, (counts){.exps = bc + 1, .rescales = 1 + h->dv});
            }
        }
        /* finish */
        for (size_t i = 0; i < br; i++) {
            rescale(row(O, i), inverse(l[i]), h->dv); /* line 12: once a row */
            m[i] += logf(l[i]);                       /* line 13: m is L now */
            count(mem, (counts){.divisions = h->dv});
        }
        store(mem, h->O, i0, 0, top(O, br)); /* lines 14, 15 */
        store(mem, h->L, i0, 0, column(m, br));
    }
    return mem->error;
}
/* ANCHOR_END: kernel */
