/*
 * split_kv at the speed of memory, for few queries and many keys.
 *
 * Changed since split_kv: vectors of columns. (In flash2_simd a lane is a query,
 * but here there may be only one.) A query uses each number of K and V once, so
 * its time is at least that of reading them from memory. The kernel reads them
 * without a pause:
 *
 *   S = K q      A vector is W columns of a key. The kernel computes W keys at
 *                a time, so that sums_of_lanes sums W vectors at once.
 *   O += p V     A vector is W columns of O. It stays in a register for a tile
 *                of keys.
 *   streams      The keys of a part are read from 8 places in turn, so that
 *                more pages are read at the same time.
 *   prefetch     Each stream of K and V is prefetched 2 KB ahead to L2, because
 *                the hardware prefetches fewer streams.
 *   tiles        A tile has at most 16 KB of K and V. A kernel with larger
 *                tiles is slower: it reads K or V alone for longer.
 *
 * key_parts.c merges the parts. docs/cpu_speed.md
 */
#include <stdint.h>

#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/simd.h"
#include "common/precision.h"

enum {
    KEYS = 64,    /* most keys per tile */
    TILE = 16384, /* most bytes of K and V per tile, unless it has W keys */
    GROUP = 4,    /* vectors of O that are computed at a time */
    AHEAD = 2048, /* bytes between a load and its prefetch */
    STREAMS = 8
};

typedef struct {
    size_t j0, n;
} key_range;

/* Returns the key at position t. The last keys.n % STREAMS positions are the
 * keys after the streams. */
INLINE size_t key_at(key_range keys, size_t t)
{
    size_t share = keys.n / STREAMS;

    return keys.j0 +
           (t < share * STREAMS ? t % STREAMS * share + t / STREAMS : t);
}

/* Returns a multiple of W. */
INLINE size_t keys_per_tile(precision type, const head *h)
{
    size_t size = type == FP32 ? sizeof(float) : sizeof(uint16_t);
    size_t vectors = TILE / ((h->d + h->dv) * size * W);

    return W * max_size(1, min_size(vectors, KEYS / W));
}

/* All callers are inlined, so the type is a constant. */
INLINE const void *row_as(precision type, array a, size_t i)
{
    return type == FP32 ? (const void *)row(a.hbm, i)
                        : a.narrow + i * a.hbm.cols;
}

INLINE float number(precision type, const void *x, size_t c)
{
    return type == FP32 ? ((const float *)x)[c]
                        : from_narrow(type, ((const uint16_t *)x)[c]);
}

/* Also prefetches the cache line AHEAD bytes after the columns. A prefetch may
 * have an address beyond the array. */
INLINE vf stream_lanes(precision type, const void *x, size_t c)
{
    const uint16_t *narrow = (const uint16_t *)x + c;
    const float *wide = (const float *)x + c;
    const void *at = type == FP32 ? (const void *)wide : narrow;

    __builtin_prefetch((const void *)((uintptr_t)at + AHEAD), 0, 2);
    return type == FP32   ? load_lanes(wide)
           : type == BF16 ? load_bf16(narrow)
                          : load_fp16(narrow);
}

/* Lanes after the n scores are -inf. */
INLINE vf score_keys(precision type, const head *h, const float *q,
                     const size_t at[W], size_t n)
{
    size_t whole = h->d - h->d % W;
    const void *k[W];
    vf sums[W], s;

    EACH (i, 0, W) {
        k[i] = row_as(type, h->K, at[i]);
        sums[i] = all_lanes(0);
    }
    for (size_t c = 0; c < whole; c += W) {
        vf q_c = load_lanes(q + c);

        EACH (i, 0, W)
            sums[i] += stream_lanes(type, k[i], c) * q_c;
    }
    s = sums_of_lanes(sums);
    for (size_t i = 0; i < n; i++)
        for (size_t c = whole; c < h->d; c++)
            s[i] += number(type, k[i], c) * q[c];
    return choose((vi){IOTA} < (int)n, s, all_lanes(-INFINITY));
}

/* Computes o = alpha o + sum over j < n of p[j] times row at[j] of V, by two
 * independent sums. If n is odd, p[n] must be 0, and at[n] is read, too. */
INLINE void add_values(precision type, const head *h, size_t vectors,
                       const float *p, const size_t *at, size_t n, size_t c,
                       float alpha, float *o)
{
    vf sums[2][GROUP] = {{{0}}};

    for (size_t j = 0; j < n; j += 2)
        EACH (half, 0, 2) {
            const void *v = row_as(type, h->V, at[j + half]);

            EACH (x, 0, vectors)
                sums[half][x] += p[j + half] * stream_lanes(type, v, c + x * W);
        }
    EACH (x, 0, vectors)
        store_lanes(o + c + x * W, alpha * load_lanes(o + c + x * W) +
                                       (sums[0][x] + sums[1][x]));
}

INLINE vf max_score(const float *s, size_t n, vf max)
{
    for (size_t j = 0; j < n; j += W)
        max = larger(load_lanes(s + j), max);
    EACH (round, 0, __builtin_ctz(W))
        max = larger(__builtin_shufflevector(max, max, LOW),
                     __builtin_shufflevector(max, max, HIGH));
    return max;
}

/* ANCHOR: kernel */
INLINE void split(precision type, const head *h, const float *q, size_t i,
                  size_t j0, size_t end, partial *state)
{
    key_range keys = {j0, end - j0};
    size_t tile = keys_per_tile(type, h);
    vf l = all_lanes(0), m = all_lanes(-most_m), max = all_lanes(-INFINITY);

    for (size_t t = 0; t < keys.n; t += tile) {
        size_t n = min_size(tile, keys.n - t), c = 0;
        size_t at[KEYS];
        float p[KEYS] = {0}, alpha;
        vf m_prev = m;

        /* Computed once for K and V, so that more loads are in flight. A tile
         * that is not full repeats its last row. */
        for (size_t j = 0; j < tile; j++)
            at[j] = key_at(keys, t + min_size(j, n - 1));

        /* scores */
        for (size_t j = 0; j < n; j += W)
            store_lanes(p + j,
                        score_keys(type, h, q, at + j, min_size(W, n - j)));
        for (size_t j = 0; j < n && bends_scores(&h->rule); j++)
            p[j] = bent_score(h, p[j], i, at[j]);
        /* update */
        max = max_score(p, n, max);
        m = larger(m, round_log2(max));
        alpha = power_of_2(m_prev - m)[0];
        l *= alpha;
        for (size_t j = 0; j < n; j += W) {
            vf weights = load_lanes(p + j);

            exp_over(1, &weights, &m);
            store_lanes(p + j, weights);
            l += weights;
        }
        for (; c + GROUP * W <= h->dv; c += GROUP * W)
            add_values(type, h, GROUP, p, at, n, c, alpha, state->O);
        for (; c + W <= h->dv; c += W)
            add_values(type, h, 1, p, at, n, c, alpha, state->O);
        for (; c < h->dv; c++) {
            float sum = 0;

            for (size_t j = 0; j < n; j++)
                sum += p[j] * number(type, row_as(type, h->V, at[j]), c);
            state->O[c] = alpha * state->O[c] + sum;
        }
    }
    /* finish */
    state->max = max[0];
    state->m = m[0];
    EACH (lane, 0, W)
        state->l += l[lane];
}
/* ANCHOR_END: kernel */

/* K and V must have the same type. */
void FOR_TARGET(split_kv_simd)(const head *h, const float *q, size_t i,
                               size_t j0, size_t end, partial *state)
{
    if (!h->K.narrow || !h->V.narrow)
        split(FP32, h, q, i, j0, end, state);
    else if (h->K.type == BF16)
        split(BF16, h, q, i, j0, end, state);
    else
        split(FP16, h, q, i, j0, end, state);
}

_Static_assert(KEYS % W == 0, "the last vector would end beyond p");
