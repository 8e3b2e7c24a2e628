/*
 * FlashAttention: a tile of queries shares each tile of keys and values.
 *
 * Changed since tiled_attention: the outer loop is over tiles of K and V, and
 * an inner one over tiles of Br queries. So O, m and l of every query are put
 * down in HBM and picked up again for each tile of keys.
 *
 *     m~_i = max_j S_ij     l~_i = sum_j e^{S_ij - m~_i}
 *     m'_i = max(m_i, m~_i) l'_i = l_i e^{m_i - m'_i} + l~_i e^{m~_i - m'_i}
 *     O_i <- (l_i e^{m_i - m'_i} O_i + e^{m~_i - m'_i} P~_i V) / l'_i
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 1, whose line 12 this is.
 * docs/05_flash1.md
 */
#include "05_flash1/steps.h"

#include "common/scores.h"

/* ANCHOR: logsumexp */
/* L = m + ln l, a tile of Br rows at a time; the paper leaves L out. */
static void store_logsumexp(const head *h, memory *mem, size_t Br, array m_hbm,
                            array l_hbm, float *m, float *l)
{
    for (size_t i0 = 0; i0 < h->Nq; i0 += Br) {
        size_t br = min_size(Br, h->Nq - i0);

        load_as(mem, LSE, column(m, br), m_hbm, i0, 0);
        load_as(mem, LSE, column(l, br), l_hbm, i0, 0);
        for (size_t i = 0; i < br; i++)
            m[i] += logf(l[i]);
        store_as(mem, LSE, h->L, i0, 0, column(m, br));
    }
}
/* ANCHOR_END: logsumexp */

/* ANCHOR: kernel */
int flash1(const head *h, memory *mem)
{
    tile_sizes t = flash1_tiles(h, mem->M); /* line 1: fills M */
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

    /* line 2: O, m and l of every query live in HBM, from here on */
    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, m_hbm, m_before(h));
    fill_as(mem, INIT, l_hbm, l_before(h));

    /* line 5: one tile of keys after another */
    for (size_t j0 = 0; j0 < seen; j0 += t.Bc) {
        size_t bc = min_size(t.Bc, seen - j0);

        /* load: line 6, once for all queries */
        load(mem, top(K, bc), h->K, j0, 0);
        load(mem, top(V, bc), h->V, j0, 0);
        /* line 7: all queries pass by */
        for (size_t i0 = 0; i0 < h->Nq; i0 += t.Br) {
            size_t br = min_size(t.Br, h->Nq - i0);

            if (is_unseen(h, i0, br, j0, bc))
                continue; /* these queries see none of the keys */
            /* line 8: what the last visit left is picked up */
            load(mem, top(Q, br), h->Q, i0, 0);
            load(mem, top(O, br), h->O, i0, 0);
            load(mem, column(m, br), m_hbm, i0, 0);
            load(mem, column(l, br), l_hbm, i0, 0);
            /* scores: line 9 */
            scores(h, mem, block(S, 0, 0, br, bc), Q, K, i0, j0);
            /* update */
            for (size_t i = 0; i < br; i++) {
                float *s = row(S, i), *o = row(O, i);
                float m_tile = max_of(s, bc);          /* line 10: m~ */
                float m_new = fmaxf(m[i], m_tile);     /* line 11 */
                float alpha = exp_minus(m[i], m_new);  /* the past's worth */
                float beta = exp_minus(m_tile, m_new); /* the tile's worth */
                float old = alpha * l[i];

                /* lines 10, 11: s becomes P~, and its sum l~ joins l */
                l[i] = old + beta * weights(h, s, bc, m_tile);
                /* line 12: o was divided by the last l; now by the new one */
                weighted_sum(pv, s, top(V, bc));
                rescale(o, ratio(old, l[i]), h->dv);
                add_share(o, beta * inverse(l[i]), pv, h->dv);
                m[i] = m_new;
                count(mem, (counts){.exps = bc + 2,
                                    .rescales = 2 + h->dv,
                                    .divisions = h->dv});
            }
            /* finish: lines 12 and 13, put down until the next visit */
            store(mem, h->O, i0, 0, top(O, br));
            store(mem, m_hbm, i0, 0, column(m, br));
            store(mem, l_hbm, i0, 0, column(l, br));
        }
    }
    store_logsumexp(h, mem, t.Br, m_hbm, l_hbm, m, l);
    return mem->error;
}
/* ANCHOR_END: kernel */
