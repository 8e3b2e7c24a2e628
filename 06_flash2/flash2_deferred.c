/*
 * FlashAttention with the division deferred: O is kept unnormalised.
 *
 * Changed since flash1: the weights are taken against the new maximum at
 * once, so a tile's own sum needs no rescaling; and O is divided by l once,
 * in a final sweep, not at every tile. The loops are still FlashAttention's.
 *
 *     m'_i = max(m_i, max_j S_ij)
 *     l'_i = l_i e^{m_i - m'_i} + sum_j e^{S_ij - m'_i}
 *     O_i <- e^{m_i - m'_i} O_i + P_i V           at the end: O_i / l_i
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.1.1: on a GPU each of the
 * operations saved costs as much as 16 of a matrix product's.
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

/* ANCHOR: finish */
/* O / l and L = m + ln l, a tile of Br rows at a time. */
static void finish(const head *h, memory *mem, size_t Br, array m_hbm,
                   array l_hbm, matrix O, float *m, float *l)
{
    for (size_t i0 = 0; i0 < h->Nq; i0 += Br) {
        size_t br = min_size(Br, h->Nq - i0);

        load(mem, top(O, br), h->O, i0, 0);
        load_as(mem, LSE, column(m, br), m_hbm, i0, 0);
        load_as(mem, LSE, column(l, br), l_hbm, i0, 0);
        for (size_t i = 0; i < br; i++) {
            rescale(row(O, i), inverse(l[i]), h->dv); /* FA2's line 12 */
            m[i] += logf(l[i]);                       /* line 13: m is L now */
            count(mem, (counts){.divisions = h->dv});
        }
        store(mem, h->O, i0, 0, top(O, br));
        store_as(mem, LSE, h->L, i0, 0, column(m, br));
    }
}
/* ANCHOR_END: finish */

/* ANCHOR: kernel */
int flash2_deferred(const head *h, memory *mem)
{
    tile_sizes t = flash2_deferred_tiles(h, mem->M);
    size_t seen = keys_seen_by(h, 0, h->Nq);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);
    array m_hbm = hbm_kept(mem, h->kept.m, h->Nq, 1, h->stored);
    array l_hbm = hbm_kept(mem, h->kept.l, h->Nq, 1, h->stored);

    if (mem->error)
        return mem->error;

    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, m_hbm, m_before(h));
    fill_as(mem, INIT, l_hbm, l_before(h));

    for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
        size_t bc = min_size(t.Bc, seen - j0);

        /* load */
        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);

            if (is_unseen(h, i0, br, j0, bc))
                continue;
            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(O, br), h->O, i0, 0);
            load(mem, column(m, br), m_hbm, i0, 0);
            load(mem, column(l, br), l_hbm, i0, 0);
            /* scores */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_new = fmaxf(m[i], max_of(s, bc)); /* FA2's line 9 */
                float alpha = exp_minus(m[i], m_new);

                /* against m_new at once: the tile needs no beta */
                l[i] = alpha * l[i] + weights(h, s, bc, m_new);
                weighted_sum(pv, s, top(V, bc));
                rescale(o, alpha, h->dv); /* line 10: no l, o is not divided */
                axpy(o, 1, pv, h->dv);
                m[i] = m_new;
                count(mem, (counts){.exps = bc + 1, .rescales = 1 + h->dv});
            }
            store(mem, h->O, i0, 0, top(O, br));
            store(mem, m_hbm, i0, 0, column(m, br));
            store(mem, l_hbm, i0, 0, column(l, br));
        }
    }
    /* finish: O / l, for the first and last time */
    finish(h, mem, t.Br, m_hbm, l_hbm, O, m, l);
    return mem->error;
}
/* ANCHOR_END: kernel */
