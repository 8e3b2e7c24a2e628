/*
 * Lazy rescaling: a maximum that has hardly grown is not worth the work.
 *
 * Changed since flash2 (whose line numbers are kept): m stays where it is while
 * the scores exceed it by no more than tau = ln 256. Then alpha is 1, and
 * neither l nor O is touched. What m is does not matter to the answer, for it
 * is divided out; it is only there to keep e^{s - m} within fp32, and 256 is as
 * good there as 1.
 *
 *     m'_i = m_i  if max_j S_ij - m_i <= tau,  else max_j S_ij
 *
 * The price: a weight is up to 256 in place of 1, and so are the sums.
 *
 * FlashAttention-4 does so, with tau = 8 in base 2. docs/variants.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

/* ANCHOR: tau */
static const float tau = 5.545177f; /* ln 256: 8 in base 2 */
/* ANCHOR_END: tau */

/* ANCHOR: kernel */
int lazy_rescale(const head *h, memory *mem)
{
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

                if (!(m_new - m[i] <= tau)) { /* at first m is -inf */
                    float alpha = exp_minus(m[i], m_new);

                    l[i] *= alpha;
                    rescale(o, alpha, h->dv);
                    m[i] = m_new;
                    count(mem, (counts){.exps = 1, .rescales = 1 + h->dv});
                }
                l[i] += weights(h, s, bc, m[i]); /* each at most 256 */
                weighted_sum(pv, s, top(V, bc));
                axpy(o, 1, pv, h->dv);
                count(mem, (counts){.exps = bc});
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
