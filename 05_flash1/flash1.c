/*
 * FlashAttention: all queries use each loaded tile of K and V.
 *
 * Changed since tiled_attention: the outer loop is over tiles of K and V, the
 * inner loop over tiles of Br queries. So O, m and l of every query are stored
 * to HBM and loaded again for each tile of keys.
 *
 *     m~_i = max_j S_ij     l~_i = sum_j e^{S_ij - m~_i}
 *     m'_i = max(m_i, m~_i) l'_i = l_i e^{m_i - m'_i} + l~_i e^{m~_i - m'_i}
 *     O_i <- (l_i e^{m_i - m'_i} O_i + e^{m~_i - m'_i} P~_i V) / l'_i
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 1; the last line is its line 12.
 * docs/05_flash1.md
 */
#include "05_flash1/steps.h"

#include "common/scores.h"

/* ANCHOR: logsumexp */
/* Stores L = m + ln l for Br rows at a time; the paper does not compute L. */
static void store_logsumexp(const head *h, memory *mem, size_t Br, float *m,
                            float *l)
{
    for (span i = first(h->Nq, Br); i.n; i = next(i)) {
        load_floats_as(mem, LSE, m, h->m, i);
        load_floats_as(mem, LSE, l, h->l, i);
        for (size_t r = 0; r < i.n; r++)
            m[r] += logf(l[r]);
        store_floats_as(mem, LSE, h->L, i, m);
    }
}
/* ANCHOR_END: logsumexp */

/* ANCHOR: kernel */
int flash1(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, flash1_tiles(h, mem->M)); /* line 1: Br, Bc */
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    /* line 2: O, m and l of every query are in HBM */
    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, h->m, -INFINITY);
    fill_as(mem, INIT, h->l, 0);

    /* lines 3, 5: Tc tiles of keys */
    for (span j = first(seen(h, all(h->Nq)), t.Bc); j.n; j = next(j)) {
        /* load: line 6, once for all queries */
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        /* lines 4, 7: all queries, in Tr tiles */
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            if (!visible(h, i, j))
                continue; /* these queries see none of the keys */
            /* line 8: Q, and the state after the previous tile of keys */
            load(mem, &Q, h->Q, i);
            load(mem, &O, h->O, i);
            load_floats(mem, m, h->m, i);
            load_floats(mem, l, h->l, i);
            /* scores: line 9 */
            scores(h, mem, &S, Q, K, i, j);
            /* update */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_tile = max_of(s, j.n); /* line 10: m~, P~ in s, l~ */
                float l_tile = exponentiate(mem, h, s, j.n, m_tile);
                float m_new = fmaxf(m[r], m_tile); /* line 11 */
                float alpha = rescale_factor(mem, m[r], m_new);
                float beta = rescale_factor(mem, m_tile, m_new);
                float old = alpha * l[r];

                l[r] = old + beta * l_tile;                 /* line 11 */
                weighted_sum(pv, s, V);                     /* line 12: P~ V, */
                rescale(mem, o, ratio(old, l[r]), h->dv);   /* earlier tiles, */
                add_divided(mem, o, beta, pv, l[r], h->dv); /* this tile */
                m[r] = m_new;
            }
            /* finish: lines 12 and 13, stored for the next tile of keys */
            store(mem, h->O, i, O);
            store_floats(mem, h->m, i, m);
            store_floats(mem, h->l, i, l);
        }
    }
    store_logsumexp(h, mem, t.Br, m, l);
    return mem->error;
}
/* ANCHOR_END: kernel */
