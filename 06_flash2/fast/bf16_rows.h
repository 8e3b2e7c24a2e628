/*
 * Rows of bf16 for the steps in bf16, in vectors of 16 floats or 32 bf16. They
 * are compiled for AVX512-BF16, and in plain C for tests on any CPU.
 */
#ifndef FLASH2_BF16_ROWS_H
#define FLASH2_BF16_ROWS_H

#define SIXTEEN_LANES /* for simd.h */
#include <float.h>

#include "06_flash2/fast/simd.h"
#include "common/memory.h"

typedef uint16_t vh __attribute__((vector_size(64))); /* 32 bf16 */

/* Arguments of a shuffle of two vh, like LOW and HIGH (simd.h). */
#define LOW_PAIRS                                                              \
    0, 32, 1, 33, 2, 34, 3, 35, 4, 36, 5, 37, 6, 38, 7, 39, 8, 40, 9, 41, 10,  \
        42, 11, 43, 12, 44, 13, 45, 14, 46, 15, 47
#define HIGH_PAIRS                                                             \
    16, 48, 17, 49, 18, 50, 19, 51, 20, 52, 21, 53, 22, 54, 23, 55, 24, 56,    \
        25, 57, 26, 58, 27, 59, 28, 60, 29, 61, 30, 62, 31, 63

/* Returns x, or 0 with the sign of x if x is subnormal, as the instructions for
 * bf16 do with their inputs and results. */
static inline float flushed(float x)
{
    return fabsf(x) < FLT_MIN ? copysignf(0, x) : x;
}

/* Returns the 16 floats of a and then the 16 of b, rounded to bf16. */
INLINE vh narrowed(vf a, vf b)
{
#if defined(__AVX512BF16__)
    return (vh)_mm512_cvtne2ps_pbh((__m512)b, (__m512)a);
#else
    vh both;

    EACH (i, 0, W) {
        both[i] = to_bf16(flushed(a[i]));
        both[W + i] = to_bf16(flushed(b[i]));
    }
    return both;
#endif
}

/* Returns the n < 32 last columns of row i, followed by 0. */
__attribute__((noinline)) static vh end_of_row(const array *a, size_t i,
                                               size_t c, size_t n)
{
    vh x = {0};
    vf y[2] = {{0}};

    if (a->narrow) {
        memcpy(&x, a->narrow + i * a->hbm.cols + c, n * sizeof *a->narrow);
        return x;
    }
    memcpy(y, row(a->hbm, i) + c, n * sizeof *a->hbm.data);
    return narrowed(y[0], y[1]);
}

/* Returns columns c to c + 31 of row i in bf16; 0 outside the array. */
INLINE vh row_in_bf16(const array *a, size_t i, size_t c)
{
    size_t n = min_size(32, a->hbm.cols - c);
    vh x = {0};

    if (i >= a->hbm.rows)
        return x;
    if (n < 32)
        return end_of_row(a, i, c, n);
    if (!a->narrow)
        return narrowed(load_lanes(row(a->hbm, i) + c),
                        load_lanes(row(a->hbm, i) + c + W));
    memcpy(&x, a->narrow + i * a->hbm.cols + c, sizeof x);
    return x;
}

#endif
