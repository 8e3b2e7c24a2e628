/*
 * The HBM traffic of the variants by formula, in elements. For Nq = Nk = N, dv
 * = d and no causal limit, flash2 moves 2Nd + N + 2 Tr Nd. The variants differ:
 *
 *     lazy_rescale   moves as much as flash2
 *     paged_kv       also loads two table entries for each page of each tile,
 *                    and copies K and V into pages (INIT)
 *     mla            moves Tr Nd less, because V is not loaded
 *     cascade        loads K and V of a prefix that B sequences share
 *                    ceil(B Nq / Br) times instead of B ceil(Nq / Br) times
 *
 * docs/variants.md
 */
#include "06_flash2/variants/steps.h"

#include "common/traffic.h"

static size_t pages(span j)
{
    return tiles(j.first + j.n, PAGED_KV_PAGE) - j.first / PAGED_KV_PAGE;
}

counts paged_kv_traffic(const head *h, tile_sizes t)
{
    counts sum = flash2_traffic(h, t);
    span keys = all(seen(h, all(h->Nq)));

    for (tile_pair p = {0}; next_pair(h, t, QUERIES_OUTSIDE, &p);)
        sum.read[ALGORITHM] += 2 * pages(p.j); /* for K and for V */
    sum.read[INIT] = keys.n * (h->d + h->dv);
    sum.written[INIT] = keys.n * (h->d + h->dv) + pages(keys);
    return sum;
}

counts mla_traffic(const head *h, tile_sizes t)
{
    counts sum = flash2_traffic(h, t);

    sum.read[ALGORITHM] -= tiles_visited(h, t, QUERIES_OUTSIDE).keys * h->dv;
    return sum;
}

/* Rows r .. r + n - 1 of a list: the queries of one query head of all
 * sequences, one sequence after the other. */
typedef struct {
    const head *h;
    size_t r, n;
} rows;

/* Returns the end of the keys that the rows see. Sets *any to true if a row
 * sees any of keys j, else to false. */
static size_t rows_see(rows a, span j, bool *any)
{
    size_t most = 0;

    *any = false;
    for (size_t r = a.r, n; r < a.r + a.n; r += n) {
        size_t i0 = r % a.h->Nq;
        span i;

        n = min_size(a.r + a.n - r, a.h->Nq - i0);
        i = span_of(i0, n);
        most = max_size(most, seen(a.h, i));
        *any = *any || visible(a.h, i, j);
    }
    return most;
}

/* Visits keys j0 .. end - 1 in tiles of Bc. Adds the number of keys loaded to
 * *keys, and the number of their pairs with the rows to *pairs. */
static void add_keys(rows a, size_t j0, size_t end, size_t Bc, size_t *keys,
                     size_t *pairs)
{
    bool any;

    end = min_size(end, rows_see(a, all(0), &any));
    for (size_t bc; j0 < end; j0 += bc) {
        bc = min_size(Bc, end - j0);
        rows_see(a, span_of(j0, bc), &any);
        if (any) {
            *keys += bc;
            *pairs += a.n * bc;
        }
    }
}

/* A tile of queries loads the prefix once, then the tails of its sequences. */
static counts of_one_head(const layer *l, size_t nth, tile_sizes t)
{
    size_t Nq = l->each.Nq, all = l->B * Nq, keys = 0, pairs = 0;
    size_t prefix = cascade_prefix(l, nth);
    const head h = head_at(l, nth); /* limits are equal in all sequences */

    for (size_t r0 = 0, br; r0 < all; r0 += br) {
        br = min_size(t.Br, all - r0);
        add_keys((rows){&h, r0, br}, 0, prefix, t.Bc, &keys, &pairs);
        for (size_t r = r0, n; r < r0 + br; r += n) {
            n = min_size(r0 + br - r, Nq - r % Nq);
            add_keys((rows){&h, r, n}, prefix, h.Nk, t.Bc, &keys, &pairs);
        }
    }
    return (counts){
        .read[ALGORITHM] = all * h.d + keys * (h.d + h.dv),
        .written[ALGORITHM] = all * (h.dv + 1),
        .read[MASK] = h.rule.mask.hbm.data ? pairs : 0,
    };
}

counts cascade_traffic(const attention_step *step, const layer *l)
{
    counts sum = {0};

    (void)step;
    for (size_t nth = 0; nth < l->Hq; nth++) {
        counts c = of_one_head(l, nth, l->each.tile);

        counts_add(&sum, &c);
    }
    return sum;
}
