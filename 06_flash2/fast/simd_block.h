/* The block of queries of flash2_simd and flash2_pairs, with one query per SIMD
 * lane. docs/cpu_speed.md */
#ifndef FLASH2_SIMD_BLOCK_H
#define FLASH2_SIMD_BLOCK_H

#include "06_flash2/fast/query_blocks.h"
#include "06_flash2/fast/simd.h"

/* A product needs R C + C + 1 registers: R C sums, C vectors of one factor and a
 * number of the other. AVX-512 and NEON have 32, AVX2 and SSE2 have 16. */
#if W == 16 || defined(__aarch64__)
enum { R = 4, C = 4 };
#else
enum { R = 4, C = 3 };
#endif
enum { QUERIES = C * W, KEYS = 64, HALF = KEYS / 2 };

/* Lane i of vector x is query (x - first) W + i. Lanes after the last query
 * repeat it. A block with few queries uses only the last vectors. */
typedef struct {
    vf (*Q)[C];            /* d x QUERIES, times scale; or pairs of columns */
    vf (*O)[C];            /* dv x QUERIES, not yet divided */
    vf (*S)[C];            /* KEYS x QUERIES: S, then P */
    vf max[C], m[C], l[C]; /* m = max / ln 2, rounded */
    size_t first;          /* the first vector that is used */
    size_t seen;           /* no query sees this key or a later key */
    bool fresh;            /* O is not initialised yet */
    const head *next;      /* the block to prefetch */
} query_block;

/* Q has rows_of_Q rows, and O has rows_of_O. */
static inline query_block block_of(const head *h, const head *next, float *tile,
                                   size_t rows_of_Q, size_t rows_of_O)
{
    query_block b = {
        .Q = (void *)tile,
        .first = C - tiles(h->Nq, W),
        .seen = seen(h, all(h->Nq)),
        .fresh = true,
        .next = next,
    };

    b.O = b.Q + rows_of_Q;
    b.S = b.O + rows_of_O;
    EACH (x, 0, C) {
        b.max[x] = all_lanes(-INFINITY);
        b.m[x] = all_lanes(-most_m);
        b.l[x] = all_lanes(0);
    }
    return b;
}

static inline size_t query_of(const head *h, const query_block *b, size_t x,
                              size_t i)
{
    return min_size((x - b->first) * W + i, h->Nq - 1);
}

/* Returns the keys that only vectors x to C - 1 compute. If not limited,
 * returns n keys for x = x0, and none for other x. */
INLINE span step_of(const query_block *b, size_t x0, bool limited, long reach,
                    size_t x, size_t n)
{
    long to = reach + (long)W * ((long)x - (long)b->first + 1), from = to - W;

    if (!limited)
        return span_of(0, x == x0 ? n : 0);
    from = from < 0 ? 0 : from;
    to = to < (long)n ? to : (long)n;
    return span_of((size_t)from, from < to ? (size_t)(to - from) : 0);
}

/* Applies softcap, ALiBi, mask and limits to S, and computes max again. */
static inline void bend_scores(const head *h, query_block *b, size_t x0,
                               size_t j0, size_t n, vf max[C])
{
    for (size_t x = x0; x < C; x++) {
        max[x] = b->max[x];
        for (size_t i = 0; i < W; i++)
            for (size_t j = 0; j < n; j++)
                b->S[j][x][i] =
                    bent_score(h, b->S[j][x][i], query_of(h, b, x, i), j0 + j);
        for (size_t j = 0; j < n; j++)
            max[x] = larger(b->S[j][x], max[x]);
    }
}

/* Load or store W numbers, in fp32 or in bf16. All callers are inlined, so
 * `narrow` is a constant. */
INLINE vf load_at(bool narrow, const array *a, size_t at)
{
    return narrow ? load_bf16(a->narrow + at) : load_lanes(a->hbm.data + at);
}

INLINE void store_at(bool narrow, const array *a, size_t at, vf x)
{
    if (narrow)
        store_bf16(a->narrow + at, x);
    else
        store_lanes(a->hbm.data + at, x);
}

/* Prefetches rows i0 to i0 + n - 1 of a, in fp32 or in bf16. */
INLINE void prefetch_rows(const array *a, size_t i0, size_t n)
{
    size_t cols = a->hbm.cols, end = min_size(i0 + n, a->hbm.rows);

    if (!only_narrow(a))
        prefetch(a->hbm, i0, n);
    else if (i0 < end)
        prefetch_bytes(a->narrow + i0 * cols,
                       (end - i0) * cols * sizeof *a->narrow);
}

INLINE void load_rows(bool narrow, const head *h, query_block *b)
{
    for (size_t x = b->first; x < C; x++) {
        size_t q[W], c = 0;

        for (size_t i = 0; i < W; i++)
            q[i] = query_of(h, b, x, i) * h->Q.hbm.stride;
        for (; c + W <= h->d; c += W) {
            vf t[W];

            EACH (i, 0, W)
                t[i] = load_at(narrow, &h->Q, q[i] + c) * h->scale;
            transpose(t);
            EACH (i, 0, W)
                b->Q[c + i][x] = t[i];
        }
        for (; c < h->d; c++)
            for (size_t i = 0; i < W; i++)
                b->Q[c][x][i] =
                    h->scale * (narrow ? from_bf16(h->Q.narrow[q[i] + c])
                                       : h->Q.hbm.data[q[i] + c]);
    }
}

static inline void load_queries(const head *h, query_block *b)
{
    if (only_narrow(&h->Q))
        load_rows(true, h, b);
    else
        load_rows(false, h, b);
}

/* Stores O of vector x. Returns the OR of the bits of 0 times each number. If
 * all numbers are finite, only sign bits can be set. */
INLINE vi store_outputs(bool narrow, const head *h, query_block *b, size_t x,
                        size_t n, vf inverse)
{
    size_t stride = h->O.hbm.stride, at = (x - b->first) * W * stride, c = 0;
    vi check = {0};

    for (; c + W <= h->dv; c += W) {
        vf t[W];

        EACH (i, 0, W) {
            t[i] = b->O[c + i][x] * inverse;
            check |= (vi)(t[i] * 0);
        }
        transpose(t);
        EACH (i, 0, W)
            if (i < n)
                store_at(narrow, &h->O, at + i * stride + c, t[i]);
    }
    for (; c < h->dv; c++) {
        vf o = b->O[c][x] * inverse;

        check |= (vi)(o * 0);
        for (size_t i = 0; i < n; i++)
            if (narrow)
                h->O.narrow[at + i * stride + c] = to_bf16(o[i]);
            else
                h->O.hbm.data[at + i * stride + c] = o[i];
    }
    return check;
}

/* Stores O and L. O is divided by the sums. Returns false if O, l or a sum is
 * NaN or infinite, or if |max| is too large. */
static inline bool store_block(const head *h, query_block *b, const vf sums[C])
{
    vi right = ~(vi){0};

    for (size_t x = b->first; x < C; x++) {
        size_t i0 = (x - b->first) * W, n = min_size(W, h->Nq - i0);
        vf max = b->max[x], rounded = round_log2(max), sum = sums[x];
        vf inverse = choose(sum == 0, sum, 1 / sum);
        vi check = only_narrow(&h->O)
                       ? store_outputs(true, h, b, x, n, inverse)
                       : store_outputs(false, h, b, x, n, inverse);
        vf L = log_over(b->l[x], b->m[x]);

        check |= (vi)(b->l[x] * 0);
        right &= (check << 1) == 0;
        right &=
            (max == -INFINITY) | ((rounded > -most_m) & (rounded < most_m));
        for (size_t i = 0; i < n; i++)
            *row(h->L.hbm, i0 + i) = L[i];
    }
    return !any_lane(~right);
}

#endif
