/*
 * Paged K and V: a page table maps the keys of a sequence to pages of a pool.
 *
 * Changed since flash2: the loads use the table. Memory is divided into pages
 * of PAGE keys, and a sequence gets a page when it needs one. So no sequence
 * reserves memory for the maximum length.
 *
 *     key j is in row table[j / PAGE] PAGE + j mod PAGE of the pool
 *
 * The kernel first copies K and V into pages, in reverse order of the pages.
 * The copies are counted as INIT.
 *
 * Kwon et al., PagedAttention (vLLM), arXiv 2309.06180. The line numbers in the
 * comments are those of FlashAttention-2's Algorithm 1. docs/variants.md
 */
#include "06_flash2/variants/steps.h"

#include "common/scores.h"

enum { PAGE = PAGED_KV_PAGE };

/* ANCHOR: load */
static void load_paged(memory *mem, matrix *tile, array pool, array table,
                       span j)
{
    matrix part = *tile;

    tile->rows = j.n;
    for (size_t r = 0; r < j.n; r += part.rows) {
        size_t at = (j.first + r) % PAGE, n = min_size(PAGE - at, j.n - r);
        float page; /* an integer, exact up to 2^24 */

        load_floats(mem, &page, table, one((j.first + r) / PAGE));
        part.data = row(*tile, r);
        load(mem, &part, pool, span_of((size_t)page * PAGE + at, n));
    }
}
/* ANCHOR_END: load */

/* ANCHOR: lay_out */
/* Copies n rows of a to the pool, at most tile.rows at a time. Page j / PAGE of
 * a becomes page pages - 1 - j / PAGE of the pool. */
static void lay_out(memory *mem, array pool, array a, size_t n, matrix tile)
{
    size_t pages = tiles(n, PAGE), room = tile.rows;

    for (size_t j = 0, rows; j < n; j += rows) {
        size_t at = j % PAGE, p = pages - 1 - j / PAGE;

        rows = min_size(min_size(PAGE - at, n - j), room);
        load_as(mem, INIT, &tile, a, span_of(j, rows));
        store_as(mem, INIT, pool, span_of(p * PAGE + at, rows), tile);
    }
}
/* ANCHOR_END: lay_out */

/* ANCHOR: kernel */
int paged_kv(const head *h, memory *mem)
{
    tile_sizes t = trimmed(h, flash2_tiles(h, mem->M));
    matrix Q = on_chip(mem, t.Br, h->d), O = on_chip(mem, t.Br, h->dv);
    matrix K = on_chip(mem, t.Bc, h->d), V = on_chip(mem, t.Bc, h->dv);
    matrix S = scratch(mem, t.Br, t.Bc);
    float *m = scratch_floats(mem, t.Br), *l = scratch_floats(mem, t.Br);
    float *pv = scratch_floats(mem, h->dv);
    span keys = all(seen(h, all(h->Nq)));
    size_t pages = tiles(keys.n, PAGE);
    array k = hbm_scratch(mem, pages * PAGE, h->d, h->K.type);
    array v = hbm_scratch(mem, pages * PAGE, h->dv, h->V.type);
    array table = hbm_scratch(mem, pages, 1, FP32);

    if (mem->error)
        return mem->error;

    lay_out(mem, k, h->K, keys.n, K);
    lay_out(mem, v, h->V, keys.n, V);
    for (size_t p = 0; p < pages; p++) {
        float page = (float)(pages - 1 - p);

        store_floats_as(mem, INIT, table, one(p), &page);
    }
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
            /* load: line 7; the table locates the pages */
            load_paged(mem, &K, k, table, j);
            load_paged(mem, &V, v, table, j);
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
