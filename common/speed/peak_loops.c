/*
 * Loops whose speed is limited only by the hardware (peak.h).
 *
 * A multiply-add takes about 4 cycles and two may start in each cycle. So at
 * least 8 independent multiply-adds must be in flight. The loop has 12 sums, in
 * 12 of the 16 registers of AVX2. A load from memory takes hundreds of cycles.
 * Eight streams keep many loads in flight, and each stream reads its own pages.
 */
#include "common/speed/peak.h"

#include <string.h>

#if defined(__AVX512F__)
enum { W = 16 };
#elif defined(__AVX__)
enum { W = 8 };
#else
enum { W = 4 };
#endif
enum { SUMS = 12, ROUNDS = 16, STREAMS = 8 };

typedef float vf __attribute__((vector_size(4 * W)));

/* Unrolls a loop with constant bounds, so that each s[i] is in a register.
 * Otherwise s would be stored and loaded in each round. */
#ifdef __clang__
#define UNROLLED _Pragma("clang loop unroll(full)")
#else
#define UNROLLED _Pragma("GCC unroll 16")
#endif

/* Hides the value of x from the compiler. Otherwise the compiler would deduce
 * that all sums are equal and that a is 1. */
#if defined(__x86_64__)
#define OPAQUE(x) __asm__ volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define OPAQUE(x) __asm__ volatile("" : "+w"(x))
#else
#define OPAQUE(x) __asm__ volatile("" : "+m"(x))
#endif

static float sum_of(vf s)
{
    float sum = 0;

    for (size_t lane = 0; lane < W; lane++)
        sum += s[lane];
    return sum;
}

static float multiply_add(size_t n)
{
    vf a = (vf){0} + 1, b = (vf){0} + 0x1p-30f, s[SUMS] = {{0}};

    OPAQUE(a);
    UNROLLED
    for (size_t i = 0; i < SUMS; i++)
        OPAQUE(s[i]);
    for (; n > 0; n--) {
        UNROLLED
        for (size_t r = 0; r < ROUNDS; r++) {
            UNROLLED
            for (size_t i = 0; i < SUMS; i++) {
                s[i] = s[i] * a + b;
                OPAQUE(s[i]); /* keeps the order of the operations */
            }
        }
    }
    UNROLLED
    for (size_t i = 1; i < SUMS; i++)
        s[0] += s[i];
    return sum_of(s[0]);
}

static float sum(const float *x, size_t n)
{
    size_t stream = n / STREAMS / W * W, rest = stream * STREAMS;
    vf s[STREAMS] = {{0}};
    float sum;

    for (size_t k = 0; k < stream; k += W) {
        UNROLLED
        for (size_t i = 0; i < STREAMS; i++) {
            vf x_i;

            memcpy(&x_i, x + i * stream + k, sizeof x_i);
            s[i] += x_i;
        }
    }
    UNROLLED
    for (size_t i = 1; i < STREAMS; i++)
        s[0] += s[i];
    sum = sum_of(s[0]);
    for (; rest < n; rest++)
        sum += x[rest];
    return sum;
}

const peak_loops FOR_TARGET(peak_loops) = {multiply_add,
                                           (size_t)2 * W *SUMS *ROUNDS, sum};
