/*
 * The pairs of flash2_pairs. A vector has 16 pairs of bf16 in 32 bits each: a
 * pair of columns of Q and K, or of keys in P and V. A packed head has
 *
 *     K   for each key, its pairs of columns
 *     V   for each pair of keys, its columns, and one more column of ones
 *
 * With the column of ones, P V also computes the sums of the rounded weights.
 * O is divided by them, so that rounding P does not scale O. There are two
 * implementations: the instruction VDPBF16PS of AVX512-BF16, and plain C.
 */
#ifndef FLASH2_PAIRS_BLOCK_H
#define FLASH2_PAIRS_BLOCK_H

#include "06_flash2/fast/bf16_heads.h"
#include "06_flash2/fast/bf16_rows.h"
#include "06_flash2/fast/simd_block.h"
#include "common/speed/targets.h"

/* ANCHOR: model */
/*
 * Returns in each lane sum + a[1] b[1] + a[0] b[0] for pairs a and b. The
 * products are exact. After each product the sum is rounded to the nearest
 * number. Subnormal inputs and results become 0 (`flushed`).
 */
INLINE vf add_pairs(vf sum, vf a, vf b)
{
#if defined(__AVX512BF16__)
    return (vf)_mm512_dpbf16_ps((__m512)sum, (__m512bh)a, (__m512bh)b);
#else
    const vu high = (vu){0} + 0xffff0000;
    const vf x[2] = {(vf)((vu)a & high), (vf)((vu)a << 16)};
    const vf y[2] = {(vf)((vu)b & high), (vf)((vu)b << 16)};

    EACH (k, 0, 2)
        EACH (i, 0, W)
            sum[i] = flushed(
                fmaf(flushed(x[k][i]), flushed(y[k][i]), flushed(sum[i])));
    return sum;
#endif
}
/* ANCHOR_END: model */

/* Returns in each lane the pair at p. */
INLINE vf all_pairs(const float *p)
{
    int bits;

    memcpy(&bits, p, sizeof bits);
    return (vf)(bits - (vi){0});
}

/* Returns the pairs (a[i], b[i]), rounded to bf16. */
INLINE vf pairs_of(vf a, vf b)
{
    vh x = narrowed(a, b);

    return (vf)__builtin_shufflevector(
        x, x, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23, 8, 24, 9,
        25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31);
}

/* --- Packing -------------------------------------------------------------- */

/* Return the floats of a packed row of K and of V. Rows are whole cache lines,
 * for columns up to a multiple of 32. */
static size_t stride_of_K(const head *h)
{
    return 16 * tiles(h->d, 32);
}

static size_t stride_of_V(const head *h)
{
    return 32 * tiles(h->dv + 1, 32);
}

static size_t packed_floats(const head *h)
{
    return tiles(h->Nk, BC) * BC * (stride_of_K(h) + stride_of_V(h) / 2);
}

static float *values_of(const head *h, const float *packed)
{
    return (float *)packed + tiles(h->Nk, BC) * BC * stride_of_K(h);
}

static void pack_keys(const head *h, size_t j, float *packed)
{
    const array K = h->K, V = h->V;
    const size_t k_stride = stride_of_K(h), v_stride = stride_of_V(h);
    float *k = packed + j * BC * k_stride;
    float *v = values_of(h, packed) + j * BC / 2 * v_stride;

    for (size_t key = j * BC; key < (j + 1) * BC; key++, k += k_stride)
        for (size_t c = 0; c < K.hbm.cols; c += 32)
            store_lanes(k + c / 2, (vf)row_in_bf16(&K, key, c));
    for (size_t key = j * BC; key < (j + 1) * BC; key += 2, v += v_stride) {
        for (size_t c = 0; c < V.hbm.cols; c += 32) {
            vh a = row_in_bf16(&V, key, c), b = row_in_bf16(&V, key + 1, c);

            store_lanes(v + c, (vf)__builtin_shufflevector(a, b, LOW_PAIRS));
            store_lanes(v + c + W,
                        (vf)__builtin_shufflevector(a, b, HIGH_PAIRS));
        }
        v[V.hbm.cols] = float_of(0x3f803f80); /* two ones */
    }
}

/* --- A block of queries --------------------------------------------------- */

static size_t state_floats(const head *h)
{
    return (stride_of_K(h) + stride_of_V(h) + KEYS) * QUERIES;
}

static void load_pairs(const head *h, query_block *b)
{
    for (size_t x = b->first; x < C; x++)
        for (size_t c = 0; c < h->d; c += 32) {
            vf t[W];

            EACH (i, 0, W)
                t[i] = (vf)row_in_bf16(&h->Q, query_of(h, b, x, i), c);
            transpose(t);
            EACH (i, 0, W)
                b->Q[c / 2 + i][x] = t[i];
        }
}

/* --- For tests and the measured peak -------------------------------------- */

static void one_product(float *C_, const float *A, const float *B)
{
    for (size_t k = 0; k < TILE_FLOATS; k += W)
        store_lanes(C_ + k, add_pairs(load_lanes(C_ + k), load_lanes(A + k),
                                      load_lanes(B + k)));
}

static float products_alone(size_t n)
{
    vf sums[R][C] = {{{0}}}, a = {0};

    IN_REGISTER(a);
    for (n *= 64; n > 0; n--)
        EACH (r, 0, R)
            EACH (x, 0, C) {
                sums[r][x] = add_pairs(sums[r][x], a, a);
                IN_REGISTER(sums[r][x]);
            }
    EACH (r, 1, R)
        EACH (x, 0, C)
            sums[0][x] += sums[r][x];
    return sums[0][0][0] + sums[0][1][0] + sums[0][2][0] + sums[0][3][0];
}

#endif
