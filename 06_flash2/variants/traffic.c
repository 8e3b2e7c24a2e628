/*
 * The HBM traffic of the variants by formula, in elements, compared with
 * flash2's 2Nd + N + 2 Tr Nd (no causal limit, Nq = Nk = N, dv = d):
 *
 *     lazy_rescale   the same
 *     paged_kv       plus an entry of the table for each page of each tile
 *     mla            minus Tr Nd: no V
 *     cascade        B sequences of Nq queries with a common prefix: K and V of
 *                    the prefix are loaded ceil(B Nq / Br) times, not
 *                    B ceil(Nq / Br) times
 *
 * docs/variants.md
 */
#include "06_flash2/steps.h"

#include "common/traffic.h"

/* Returns the number of pages with these keys. */
static size_t pages(span j)
{
    return tiles(j.first + j.n, PAGED_KV_PAGE) - j.first / PAGED_KV_PAGE;
}

counts paged_kv_traffic(const head *h, tile_sizes t)
{
    counts sum = flash2_traffic(h, t);
    span keys = all(seen(h, all(h->Nq)));

    for (tile_pair p = {0}; next_pair(h, t, QUERIES_OUTSIDE, &p);)
        sum.read[ALGORITHM] += 2 * pages(p.j); /* for K, and for V */
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

/* n queries from row r of the list of all sequences of a head; h: one of these
 * sequences. */
typedef struct {
    const head *h;
    size_t r, n;
} rows;

/* Returns the number of keys that the rows see. Sets *any: true if they see one
 * of keys j. */
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

/* Adds the loaded keys of j0 .. end - 1, in tiles of Bc, for these rows. */
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

/* Returns the traffic of query head nth of all sequences, in tiles of Br rows.
 * Each tile reads the prefix once, and the tail of each of its sequences. */
static counts of_one_head(const layer *l, size_t nth, tile_sizes t)
{
    size_t Nq = l->each.Nq, all = l->B * Nq, keys = 0, pairs = 0;
    size_t prefix = cascade_prefix(l, nth);
    const head h = head_at(l, nth); /* all sequences see as many keys */

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
