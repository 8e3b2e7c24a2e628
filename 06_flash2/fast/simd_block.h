/* The block of queries of flash2_simd, with one query per SIMD lane.
 * docs/cpu_speed.md */
#ifndef FLASH2_SIMD_BLOCK_H
#define FLASH2_SIMD_BLOCK_H

#include "06_flash2/fast/query_blocks.h"
#include "06_flash2/fast/simd.h"

/* A product needs R C + C + 1 registers: R C sums, C vectors of one factor and a
 * number of the other. AVX-512 and NEON have 32, AVX2 and SSE2 have 16. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { R = 4, C = 4 };
#else
enum { R = 4, C = 3 };
#endif
enum { QUERIES = C * W, KEYS = 64, HALF = KEYS / 2 };

/* Lane i of vector x is query (x - first) W + i. Lanes after the last query
 * repeat it. A block with few queries uses only the last vectors. */
typedef struct {
    vf (*Q)[C];            /* d x QUERIES, times scale */
    vf (*O)[C];            /* dv x QUERIES, not yet divided */
    vf (*S)[C];            /* KEYS x QUERIES: S, then P */
    vf max[C], m[C], l[C]; /* m = max / ln 2, rounded */
    size_t first;          /* the first vector that is used */
    size_t seen;           /* no query sees this key or a later key */
    bool fresh;            /* O is not initialised yet */
    const head *next;      /* the block to prefetch */
} query_block;

static query_block block_of(const head *h, const head *next, float *tile)
{
    query_block b = {
        .Q = (void *)tile,
        .first = C - tiles(h->Nq, W),
        .seen = seen(h, all(h->Nq)),
        .fresh = true,
        .next = next,
    };

    b.O = b.Q + h->d;
    b.S = b.O + h->dv;
    EACH (x, 0, C) {
        b.max[x] = all_lanes(-INFINITY);
        b.m[x] = all_lanes(-most_m);
        b.l[x] = all_lanes(0);
    }
    return b;
}

static size_t query_of(const head *h, const query_block *b, size_t x, size_t i)
{
    return min_size((x - b->first) * W + i, h->Nq - 1);
}

static void load_queries(const head *h, query_block *b)
{
    for (size_t x = b->first; x < C; x++) {
        const float *q[W];
        size_t c = 0;

        for (size_t i = 0; i < W; i++)
            q[i] = row(h->Q.hbm, query_of(h, b, x, i));
        for (; c + W <= h->d; c += W) {
            vf t[W];

            EACH (i, 0, W)
                t[i] = load_lanes(q[i] + c) * h->scale;
            transpose(t);
            EACH (i, 0, W)
                b->Q[c + i][x] = t[i];
        }
        for (; c < h->d; c++)
            for (size_t i = 0; i < W; i++)
                b->Q[c][x][i] = q[i][c] * h->scale;
    }
}

/* Stores O of vector x. Returns the OR of the bits of 0 times each number. If
 * all numbers are finite, only sign bits can be set. */
static vi store_outputs(const head *h, query_block *b, size_t x, size_t n,
                        vf inverse)
{
    vi check = {0};
    matrix O = block(h->O.hbm, (x - b->first) * W, 0, n, h->dv);
    size_t c = 0;

    for (; c + W <= h->dv; c += W) {
        vf t[W];

        EACH (i, 0, W) {
            t[i] = b->O[c + i][x] * inverse;
            check |= (vi)(t[i] * 0);
        }
        transpose(t);
        EACH (i, 0, W)
            if (i < n)
                store_lanes(row(O, i) + c, t[i]);
    }
    for (; c < h->dv; c++) {
        vf o = b->O[c][x] * inverse;

        check |= (vi)(o * 0);
        for (size_t i = 0; i < n; i++)
            row(O, i)[c] = o[i];
    }
    return check;
}

/* Returns false if O or l is NaN or infinite, or if |max| is too large. */
static bool store_block(const head *h, query_block *b)
{
    vi right = ~(vi){0};

    for (size_t x = b->first; x < C; x++) {
        size_t i0 = (x - b->first) * W, n = min_size(W, h->Nq - i0);
        vf l = b->l[x], max = b->max[x], rounded = round_log2(max);
        vi check = store_outputs(h, b, x, n, choose(l == 0, l, 1 / l));
        vf L = log_over(l, b->m[x]);

        check |= (vi)(l * 0);
        right &= (check << 1) == 0;
        right &=
            (max == -INFINITY) | ((rounded > -most_m) & (rounded < most_m));
        for (size_t i = 0; i < n; i++)
            *row(h->L.hbm, i0 + i) = L[i];
    }
    return !any_lane(~right);
}

#endif
