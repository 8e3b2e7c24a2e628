/*
 * Paged K and V: a sequence's keys lie in pages, wherever there was room.
 *
 * Changed since flash2 (whose line numbers are kept): the loads. A server keeps
 * the keys of many sequences, and does not know how long each will get. Room
 * for the longest would mostly be wasted, so memory is cut into pages of PAGE
 * keys, handed out one by one as a sequence grows. A table has, for each page
 * of the sequence, where it is.
 *
 *     key j is in row table[j / PAGE] PAGE + j mod PAGE of the pool
 *
 * Here there is no server, so the kernel first lays K and V out in pages, the
 * last page first, which is booked as INIT.
 *
 * Kwon et al., PagedAttention (vLLM), arXiv 2309.06180. docs/variants.md
 */
#include "06_flash2/steps.h"

#include "common/scores.h"

enum { PAGE = PAGED_KV_PAGE };

/* ANCHOR: load */
/* Rows j0 .. of the sequence, as many as the tile has, page by page. */
static void load_paged(memory *mem, matrix tile, array pool, array table,
                       size_t j0)
{
    for (size_t j = 0, n; j < tile.rows; j += n) {
        size_t at = (j0 + j) % PAGE;
        float page; /* fp32 counts to 2^24 */

        load(mem, column(&page, 1), table, (j0 + j) / PAGE, 0);
        n = min_size(PAGE - at, tile.rows - j);
        load(mem, block(tile, j, 0, n, tile.cols), pool,
             (size_t)page * PAGE + at, 0);
    }
}
/* ANCHOR_END: load */

/* ANCHOR: lay_out */
/* n rows of a into the pool, page p of them in place pages - 1 - p. */
static void lay_out(memory *mem, array pool, array a, size_t n, matrix tile)
{
    size_t pages = tiles(n, PAGE);

    for (size_t j = 0, rows; j < n; j += rows) {
        size_t at = j % PAGE, p = j / PAGE;

        rows = min_size(min_size(PAGE - at, n - j), tile.rows);
        load_as(mem, INIT, top(tile, rows), a, j, 0);
        store_as(mem, INIT, pool, (pages - 1 - p) * PAGE + at, 0,
                 top(tile, rows));
    }
}
/* ANCHOR_END: lay_out */

/* ANCHOR: kernel */
int paged_kv(const head *h, memory *mem)
{
    tile_sizes t = flash2_tiles(h, mem->M);
    size_t rows = min_size(t.Br, h->Nq), keys = min_size(t.Bc, h->Nk);
    size_t all = keys_seen_by(h, 0, h->Nq), pages = tiles(all, PAGE);
    matrix Q = on_chip(mem, rows, h->d), O = on_chip(mem, rows, h->dv);
    matrix K = on_chip(mem, keys, h->d), V = on_chip(mem, keys, h->dv);
    matrix S = scratch(mem, rows, keys);
    float *m = scratch_floats(mem, rows), *l = scratch_floats(mem, rows);
    float *pv = scratch_floats(mem, h->dv);
    array k = hbm_scratch(mem, pages * PAGE, h->d, h->K.type);
    array v = hbm_scratch(mem, pages * PAGE, h->dv, h->V.type);
    array table = hbm_scratch(mem, pages, 1, FP32);

    if (mem->error)
        return mem->error;

    lay_out(mem, k, h->K, all, K);
    lay_out(mem, v, h->V, all, V);
    for (size_t p = 0; p < pages; p++) {
        float page = (float)(pages - 1 - p);

        store_as(mem, INIT, table, p, 0, column(&page, 1));
    }
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
            /* load: by the table */
            load_paged(mem, top(K, bc), k, table, j0);
            load_paged(mem, top(V, bc), v, table, j0);
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
