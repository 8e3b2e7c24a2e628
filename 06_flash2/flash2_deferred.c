/*
 * FlashAttention with one division at the end. Until then O is unnormalised.
 *
 * Changed since flash1: the weights of a tile are computed with the new
 * maximum, so their sum needs no factor beta. A final loop divides O by l.
 *
 *     m'_i = max(m_i, max_j S_ij)
 *     l'_i = l_i e^{m_i - m'_i} + sum_j e^{S_ij - m'_i}
 *     O_i <- e^{m_i - m'_i} O_i + P_i V           at the end: O_i / l_i
 *
 * On an A100 an operation outside the matrix products takes as long as 16
 * operations of a matrix product (FlashAttention-2, arXiv 2307.08691, section
 * 3.1). The comments give the line numbers of that paper's Algorithm 1.
 * docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

/* ANCHOR: finish */
/* Stores O / l and L = m + ln l of all queries, Br rows at a time. */
static void finish(const head *h, memory *mem, size_t Br, matrix O, float *m,
                   float *l)
{
    for (span i = first(h->Nq, Br); i.n; i = next(i)) {
        load(mem, &O, h->O, i);
        load_floats_as(mem, LSE, m, h->m, i);
        load_floats_as(mem, LSE, l, h->l, i);
        for (size_t r = 0; r < i.n; r++) {
            divide(mem, row(O, r), l[r], h->dv); /* line 12: once per row */
            m[r] += logf(l[r]);                  /* line 13: m is L now */
        }
        store(mem, h->O, i, O);
        store_floats_as(mem, LSE, h->L, i, m);
    }
}
/* ANCHOR_END: finish */

/* ANCHOR: kernel */
int flash2_deferred(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, flash2_deferred_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);

    if (mem->error)
        return mem->error;

    fill_as(mem, INIT, h->O, 0);
    fill_as(mem, INIT, h->m, -INFINITY);
    fill_as(mem, INIT, h->l, 0);

    for (span j = first(seen(h, all(h->Nq)), t.Bc); j.n; j = next(j)) {
        /* load */
        load(mem, &K, h->K, j);
        load(mem, &V, h->V, j);
        for (span i = first(h->Nq, t.Br); i.n; i = next(i)) {
            if (!visible(h, i, j))
                continue;
            load(mem, &Q, h->Q, i);
            load(mem, &O, h->O, i);
            load_floats(mem, m, h->m, i);
            load_floats(mem, l, h->l, i);
            /* scores */
            scores(h, mem, &S, Q, K, i, j);
            /* update */
            for (size_t r = 0; r < i.n; r++) {
                float *s = row(S, r), *o = row(O, r);
                float m_new = fmaxf(m[r], max_of(s, j.n)); /* line 9 */
                float l_tile = exponentiate(mem, h, s, j.n, m_new);
                float alpha = rescale_factor(mem, m[r], m_new);

                l[r] = alpha * l[r] + l_tile; /* l_tile needs no beta */
                weighted_sum(pv, s, V);
                rescale(mem, o, alpha, h->dv); /* line 10: o is not divided */
                axpy(o, 1, pv, h->dv);
                m[r] = m_new;
            }
            store(mem, h->O, i, O);
            store_floats(mem, h->m, i, m);
            store_floats(mem, h->l, i, l);
        }
    }
    /* finish */
    finish(h, mem, t.Br, O, m, l);
    return mem->error;
}
/* ANCHOR_END: kernel */
