/*
 * A matrix unit has eight tile registers and computes C += A B. There are two
 * implementations, one for each target:
 *
 *   amx      Intel's AMX
 *   model    plain C, with the same bits as AMX
 *
 * A tile is 16 contiguous rows of 64 bytes. A is 16 x 32 bf16, B is 32 x 16
 * bf16, and C is 16 x 16 fp32. Element (k, n) of B is B[k / 2][n][k % 2]:
 *
 *     C[m][n] += sum over k < 32 of A[m][k] B[k / 2][n][k % 2]
 *
 * Register numbers must be constants. The asm statements have memory operands,
 * because gcc 12's intrinsics do not keep loads and stores of tiles and vectors
 * in order. docs/cpu_speed.md
 */
#ifndef FLASH2_MATRIX_UNIT_H
#define FLASH2_MATRIX_UNIT_H

#include "06_flash2/fast/bf16_rows.h"

/* gcc defines __AMX_BF16__, clang 14 defines __AMXBF16__. */
#if defined(__AMX_BF16__) || defined(__AMXBF16__)
#define HAS_AMX
#endif

typedef union {
    float f[16][16];
    uint16_t h[16][32];
    vf row[16];
} tile;

/* ANCHOR: model */
/*
 * Computes C += A B in plain C, with the rounding of AMX. The products of even
 * k and of odd k have separate sums. Each sum begins with +0 and uses fused
 * multiply-adds in increasing k. Then the two sums are added, and their total
 * is added to C. flushed(x) is x, or 0 if x is subnormal.
 */
static inline void model_dp(tile *c, const tile *a, const tile *b)
{
    for (size_t m = 0; m < 16; m++)
        for (size_t n = 0; n < 16; n++) {
            float sum[2] = {0, 0};

            for (size_t k = 0; k < 32; k++)
                sum[k % 2] =
                    flushed(fmaf(flushed(from_bf16(a->h[m][k])),
                                 flushed(from_bf16(b->h[k / 2][2 * n + k % 2])),
                                 sum[k % 2]));
            c->f[m][n] =
                flushed(flushed(c->f[m][n]) + flushed(sum[0] + sum[1]));
        }
}
/* ANCHOR_END: model */

#if defined(HAS_AMX)

#define TILE_AT(p) "r"(p), "r"(64L) /* address, stride in bytes */

INLINE void tile_zero(int t)
{
    __asm__ volatile("tilezero %%tmm%c0" ::"i"(t));
}

INLINE void tile_load(int t, const tile *p)
{
    __asm__ volatile("tileloadd (%1,%2,1), %%tmm%c0" ::"i"(t), TILE_AT(p),
                     "m"(*p));
}

/* Loads a tile that is not used again soon, and need not be in L1. */
INLINE void tile_stream(int t, const tile *p)
{
    __asm__ volatile("tileloaddt1 (%1,%2,1), %%tmm%c0" ::"i"(t), TILE_AT(p),
                     "m"(*p));
}

INLINE void tile_store(int t, tile *p)
{
    __asm__ volatile("tilestored %%tmm%c1, (%2,%3,1)"
                     : "=m"(*p)
                     : "i"(t), TILE_AT(p));
}

/* c, a and b are register numbers. */
INLINE void tile_dp(int c, int a, int b)
{
    __asm__ volatile("tdpbf16ps %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(c), "i"(a),
                     "i"(b));
}

/* The registers stay configured until tiles_off. */
INLINE void tiles_on(void)
{
    static const uint8_t shapes[64] = {
        /* byte 0: palette; from 16: bytes per row; from 48: number of rows */
        1,         [16] = 64, [18] = 64, [20] = 64, [22] = 64, [24] = 64,
        [26] = 64, [28] = 64, [30] = 64, [48] = 16, 16,        16,
        16,        16,        16,        16,        16};

    __asm__ volatile("ldtilecfg %0" ::"m"(shapes));
}

INLINE void tiles_off(void)
{
    __asm__ volatile("tilerelease");
}

#else

static _Thread_local tile tiles_of_thread[8];

/* Not inlined, because it is long and has many callers. */
__attribute__((noinline)) static void product(tile *C, const tile *A,
                                              const tile *B)
{
    model_dp(C, A, B);
}

INLINE void tile_zero(int t)
{
    tiles_of_thread[t] = (tile){{{0}}};
}

INLINE void tile_load(int t, const tile *p)
{
    tiles_of_thread[t] = *p;
}

INLINE void tile_stream(int t, const tile *p)
{
    tiles_of_thread[t] = *p;
}

INLINE void tile_store(int t, tile *p)
{
    *p = tiles_of_thread[t];
}

INLINE void tile_dp(int c, int a, int b)
{
    product(&tiles_of_thread[c], &tiles_of_thread[a], &tiles_of_thread[b]);
}

INLINE void tiles_on(void)
{
}

INLINE void tiles_off(void)
{
}

#endif

/* --- Subnormals ----------------------------------------------------------- */

/* On x86, makes this thread flush subnormals to 0 (FTZ and DAZ) and returns the
 * previous MXCSR. An operation on a subnormal weight would take 100 cycles. */
INLINE unsigned flush_subnormals(void)
{
#if defined(__SSE__)
    unsigned before = __builtin_ia32_stmxcsr();

    __builtin_ia32_ldmxcsr(before | 0x8040);
    return before;
#else
    return 0;
#endif
}

INLINE void restore_subnormals(unsigned before)
{
#if defined(__SSE__)
    __builtin_ia32_ldmxcsr(before);
#else
    (void)before;
#endif
}

/* --- Vectors of 16 -------------------------------------------------------- */

/* Returns a b + c, rounded once. */
INLINE vf multiply_add(vf a, vf b, vf c)
{
#if defined(__AVX512F__)
    return (vf)_mm512_fmadd_ps((__m512)a, (__m512)b, (__m512)c);
#else
    EACH (i, 0, W)
        c[i] = flushed(fmaf(a[i], b[i], c[i]));
    return c;
#endif
}

/* Returns p 2^floor(x) for p from 1 to 2. */
INLINE vf times_power(vf p, vf x)
{
#if defined(__AVX512F__)
    return (vf)_mm512_scalef_ps((__m512)p, (__m512)x);
#else
    EACH (i, 0, W)
        p[i] = isnan(x[i])
                   ? x[i]
                   : flushed(ldexpf(
                         p[i], (int)fminf(fmaxf(floorf(x[i]), -200), 200)));
    return p;
#endif
}

/* Returns x - floor(x), or 0 if x is infinite. */
INLINE vf above_floor(vf x)
{
#if defined(__AVX512DQ__)
    return (vf)_mm512_reduce_ps((__m512)x, 1);
#else
    EACH (i, 0, W)
        x[i] = isinf(x[i]) ? 0 : x[i] - floorf(x[i]);
    return x;
#endif
}

/* ANCHOR: exp2 */
/*
 * Returns 2^x with a relative error of up to 2.1e-3, and exactly 1 for x = 0.
 * Between two powers of 2 the result is a parabola. This is precise enough,
 * because a weight is stored in bf16, with a rounding error of up to 3.9e-3.
 */
INLINE vf rough_exp2(vf x)
{
    vf f = above_floor(x);
    vf p = multiply_add(f, all_lanes(0.32993545f), all_lanes(0.66595924f));

    return times_power(multiply_add(f, p, all_lanes(1)), x);
}
/* ANCHOR_END: exp2 */

/* Returns 16 sums in fp32. Lane n is x[2 n] + x[2 n + 1]. */
INLINE vf sums_of_pairs(vh x)
{
    return (vf)((vu)x << 16) + (vf)((vu)x & 0xffff0000);
}

/* True if all lanes are at most `most`. False if a lane is NaN. */
INLINE bool all_at_most(vf x, float most)
{
#if defined(__AVX512F__)
    return _mm512_cmp_ps_mask((__m512)x, _mm512_set1_ps(most), _CMP_NLE_UQ) ==
           0;
#else
    return !any_lane(~(x <= most));
#endif
}

/* Returns the largest lane. May ignore lanes that are NaN. */
INLINE float largest_lane(vf x)
{
#if defined(__AVX512F__)
    return _mm512_reduce_max_ps((__m512)x);
#else
    float most = x[0];

    EACH (i, 1, W)
        most = fmaxf(most, x[i]);
    return most;
#endif
}

#endif
