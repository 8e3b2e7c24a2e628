/*
 * Vectors of W floats. W is 16 with AVX-512 or SIXTEEN_LANES, 8 with AVX, and
 * otherwise 4 (SSE2, NEON, or plain C). The code uses the vector extensions of
 * GCC and clang: `a * b + c` is W multiply-adds. docs/cpu_speed.md
 */
#ifndef FLASH2_SIMD_H
#define FLASH2_SIMD_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if defined(__AVX__)
#include <immintrin.h>
#endif

#include "06_flash2/fast/base2.h"
#include "common/matrix.h"

/* IOTA is the lane numbers. LOW and HIGH are arguments of a shuffle: LOW
 * interleaves the low halves of two vectors, HIGH the high halves. */
#if defined(__AVX512F__) || defined(SIXTEEN_LANES)
#define W    16
#define IOTA 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
#define LOW  0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23
#define HIGH 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31
#elif defined(__AVX__)
#define W    8
#define IOTA 0, 1, 2, 3, 4, 5, 6, 7
#define LOW  0, 8, 1, 9, 2, 10, 3, 11
#define HIGH 4, 12, 5, 13, 6, 14, 7, 15
#else
#define W    4
#define IOTA 0, 1, 2, 3
#define LOW  0, 4, 1, 5
#define HIGH 2, 6, 3, 7
#endif

typedef float vf __attribute__((vector_size(4 * W)));
typedef int vi __attribute__((vector_size(4 * W)));
typedef unsigned vu __attribute__((vector_size(4 * W)));

/* Fully unrolls a loop, so that its arrays can be in registers. Emulated vectors
 * have no register. */
#if defined(SIXTEEN_LANES) && !defined(__AVX512F__)
#define UNROLLED
#elif defined(__clang__)
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif
#define EACH(i, from, to) UNROLLED for (size_t i = (from); i < (to); i++)

/* Inlines even long functions, so that loops with constant arguments can be
 * unrolled. Not for emulated vectors: the compilation would take minutes. */
#if defined(SIXTEEN_LANES) && !defined(__AVX512F__)
#define INLINE static inline
#else
#define INLINE static inline __attribute__((always_inline))
#endif

enum { LINE = 64 }; /* bytes of a cache line */

/* Keeps x in a register: the asm statement may change x, so the compiler cannot
 * load x again from memory. Emulated vectors have no register. */
#if defined(SIXTEEN_LANES) && !defined(__AVX512F__)
#define IN_REGISTER(x) ((void)0)
#elif defined(__x86_64__)
#define IN_REGISTER(x) __asm__("" : "+v"(x))
#elif defined(__aarch64__)
#define IN_REGISTER(x) __asm__("" : "+w"(x))
#else
#define IN_REGISTER(x) ((void)0)
#endif

INLINE vf all_lanes(float x)
{
    return x - (vf){0};
}

INLINE vf load_lanes(const float *p)
{
    vf x;

    memcpy(&x, p, sizeof x);
    return x;
}

INLINE void store_lanes(float *p, vf x)
{
    memcpy(p, &x, sizeof x);
}

INLINE vf choose(vi which, vf yes, vf no)
{
    return (vf)(((vi)yes & which) | ((vi)no & ~which));
}

/* Where gcc 12 would convert each half of the vector by itself, the code uses an
 * x86 instruction. */
INLINE vu load_narrow(const uint16_t *p)
{
#if defined(__AVX512F__)
    return (vu)_mm512_cvtepu16_epi32(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__AVX2__) && W == 8
    return (vu)_mm256_cvtepu16_epi32(_mm_loadu_si128((const __m128i *)p));
#else
    uint16_t x __attribute__((vector_size(2 * W)));

    memcpy(&x, p, sizeof x);
    return __builtin_convertvector(x, vu);
#endif
}

INLINE vf load_bf16(const uint16_t *p)
{
    return (vf)(load_narrow(p) << 16);
}

/* Rounds like to_bf16 (precision.h), but x must not be NaN. */
INLINE void store_bf16(uint16_t *p, vf x)
{
    vu bits = (vu)x + 0x7fff + ((vu)x >> 16 & 1);
    uint16_t y __attribute__((vector_size(2 * W)));

    y = __builtin_convertvector(bits >> 16, __typeof__(y));
    memcpy(p, &y, sizeof y);
}

/* Without an x86 instruction, the code moves the 5 bits of the fp16 exponent to
 * the 8-bit exponent field of a float. The result is 2^112 times too small.
 * Infinities and NaN must get the largest exponent of a float. */
INLINE vf load_fp16(const uint16_t *p)
{
#if defined(__AVX512F__)
    return (vf)_mm512_cvtph_ps(_mm256_loadu_si256((const __m256i *)p));
#elif defined(__F16C__) && W == 8
    return (vf)_mm256_cvtph_ps(_mm_loadu_si128((const __m128i *)p));
#else
    vu bits = load_narrow(p);
    vf x = (vf)((bits & 0x7fff) << 13) * 0x1p112f;

    x = choose(x < 65536, x, (vf)((vu)x | 0x7f800000));
    return (vf)((vu)x | (bits & 0x8000) << 16);
#endif
}

/* Returns b if a or b is NaN. This is what an x86 instruction computes, but
 * compilers do not choose that instruction. */
INLINE vf larger(vf a, vf b)
{
#if defined(__AVX512F__) || (defined(__AVX__) && W == 8)
    vf max;

    __asm__("vmaxps %2, %1, %0" : "=v"(max) : "v"(a), "v"(b));
    return max;
#else
    return choose(a > b, a, b);
#endif
}

INLINE int any_lane(vi which)
{
    int any = 0;

    EACH (i, 0, W)
        any |= which[i];
    return any != 0;
}

/* Prefetches n bytes from p, four cache lines at a time. Addresses are integers,
 * because C does not allow a pointer beyond an array. */
INLINE void prefetch_bytes(const void *p, size_t n)
{
    for (uintptr_t line = (uintptr_t)p, end = line + n; line < end;
         line += 4 * LINE)
        EACH (k, 0, 4)
            __builtin_prefetch((const void *)(line + k * LINE), 0, 3);
}

/* Prefetches rows i0 to i0 + n - 1 of a. */
INLINE void prefetch(matrix a, size_t i0, size_t n)
{
    for (size_t i = i0; i < min_size(i0 + n, a.rows); i++)
        prefetch_bytes(row(a, i), a.cols * sizeof *a.data);
}

/* --- e^x ------------------------------------------------------------------ */

/* Returns x / ln 2, rounded to an integer. */
INLINE vf round_log2(vf x)
{
    return (x * log2_e + rounder) - rounder;
}

/* Returns 2^k for an integer k <= 0, or 0 if k < -126. */
INLINE vf power_of_2(vf k)
{
    return (vf)((vi)(larger(all_lanes(-127), k) + (rounder + 127)) << 23);
}

/* Replaces s by e^s 2^-m, for n <= 4 vectors and integers m >= s / ln 2 - 1/2.
 * The result is 0 if it is below 2^-126.5, and NaN if s is NaN.
 *
 * Each stage runs for all vectors before the next stage begins. While one
 * vector waits for a result, the processor computes another. */
INLINE void exp_over(size_t n, vf s[], const vf m[])
{
    vf lowest[4], to_exponent[4], sum[4], k[4], f[4], p[4];

    EACH (x, 0, n) {
        lowest[x] = (m[x] - 127) * (ln2 + ln2_rest);
        to_exponent[x] = (rounder + 127) - m[x];
    }
#define STAGE(v, value)                                                        \
    EACH (x, 0, n) {                                                           \
        v[x] = value;                                                          \
        IN_REGISTER(v[x]);                                                     \
    }
    STAGE(s, larger(lowest[x], s[x]))
    STAGE(sum, s[x] * log2_e + to_exponent[x])
    STAGE(k, sum[x] - to_exponent[x])
    STAGE(sum, (vf)((vi)sum[x] << 23))
#ifdef __FP_FAST_FMAF /* ln 2 is rounded, k ln 2 is not */
    STAGE(f, s[x] - k[x] * (ln2 + ln2_rest))
#else
    STAGE(f, s[x] - k[x] * ln2)
    STAGE(f, f[x] - k[x] * ln2_rest)
#endif
    STAGE(p, e5 * f[x] + e4)
    STAGE(p, p[x] * f[x] + e3)
    STAGE(p, p[x] * f[x] + e2)
    STAGE(p, p[x] * f[x] + 1)
    STAGE(p, p[x] * f[x] + 1)
    STAGE(s, p[x] * sum[x])
#undef STAGE
}

/* Returns ln(l 2^m) for an integer m. l must be normal or 0. l is x 2^k with x
 * near 1, and ln x is 2 artanh t with t = (x - 1) / (x + 1), an odd series in
 * t. Integers are unsigned so that the bits of any l cannot overflow. */
INLINE vf log_over(vf l, vf m)
{
    vi k = (vi)((vu)l - sqrt_half) >> 23;
    vf x = (vf)((vu)l - ((vu)k << 23)), t = (x - 1) / (x + 1), t2 = t * t;
    vf series = (((t2 / 9 + 1.0f / 7) * t2 + 1.0f / 5) * t2 + 1.0f / 3) * t2;
    vf log = 2 * t + 2 * t * series;

    m += __builtin_convertvector(k, vf);
    log = m * ln2 + (m * ln2_rest + log);
    return choose(l == 0, all_lanes(-INFINITY), log);
}

/* --- Transposing ---------------------------------------------------------- */

/* Each of log2(W) rounds interleaves x[i] with x[i + W/2]. */
INLINE void transpose(vf x[W])
{
    EACH (round, 0, __builtin_ctz(W)) {
        vf y[W];

        EACH (i, 0, W / 2) {
            y[2 * i] = __builtin_shufflevector(x[i], x[i + W / 2], LOW);
            y[2 * i + 1] = __builtin_shufflevector(x[i], x[i + W / 2], HIGH);
        }
        EACH (i, 0, W)
            x[i] = y[i];
    }
}

/* Returns in lane i the sum of all lanes of x[i]. Overwrites x. */
INLINE vf sums_of_lanes(vf x[W])
{
    EACH (round, 1, __builtin_ctz(W) + 1) {
        size_t half = (size_t)W >> round;

        EACH (i, 0, half)
            x[i] = __builtin_shufflevector(x[i], x[i + half], LOW) +
                   __builtin_shufflevector(x[i], x[i + half], HIGH);
    }
    return x[0];
}

#endif
