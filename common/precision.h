/*
 * Emulates storage types that are narrower than fp32: rounds floats to the
 * narrow type, and converts them to its 16 bits. See docs/glossary.md.
 *
 *          bits  exponent  fraction  largest   smallest normal
 *   fp32   32    8         23        3.4e38    1.2e-38
 *   fp16   16    5         10        65504     6.1e-5   (subnormals to 6e-8)
 *   bf16   16    8         7         3.4e38    1.2e-38  (subnormals too)
 */
#ifndef COMMON_PRECISION_H
#define COMMON_PRECISION_H

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#if FLT_EVAL_METHOD == 1 || FLT_EVAL_METHOD == 2
#error "fp32 is computed in more bits here: on x86 add -msse2 -mfpmath=sse, \
elsewhere -fexcess-precision=fast (make OPT='-O2 -g FLAGS')"
#endif

/* With these options isnan returns false, a comparison with infinity may be
 * left out, and (x + y) - y becomes x. */
#if defined __FAST_MATH__ || defined __ASSOCIATIVE_MATH__ ||                   \
    __FINITE_MATH_ONLY__ + 0
#error                                                                         \
    "-Ofast and -ffast-math break NaN, infinity and the order of sums: use \
-O3 (make OPT='-O3 -g')"
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum { FP32, BF16, FP16 } precision;

/* Returns "fp32", "bf16" or "fp16". */
const char *precision_name(precision type);

static inline size_t precision_bytes(precision type)
{
    return type == FP32 ? sizeof(float) : sizeof(uint16_t);
}

/* Returns x rounded to the type, as a float. Keeps every bit of a NaN, and of
 * every x if the type is fp32. */
float round_narrow(precision type, float x);

/* Like round_narrow, but inlined for fp32. */
static inline float round_to(precision type, float x)
{
    return type == FP32 ? x : round_narrow(type, x);
}

static inline uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof bits);
    return bits;
}

static inline float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof x);
    return x;
}

/* Return the 16 bits of x, rounded to nearest: ties to even, overflow to
 * infinity. The result can be subnormal. A NaN stays a NaN and keeps its
 * sign. */
uint16_t to_bf16(float x);
uint16_t to_fp16(float x);

/* Return the exact value of the 16 bits. */
float from_bf16(uint16_t bits);
float from_fp16(uint16_t bits);

/* Call the function above for the type, which must not be fp32. */
static inline uint16_t to_narrow(precision type, float x)
{
    return type == BF16 ? to_bf16(x) : to_fp16(x);
}

static inline float from_narrow(precision type, uint16_t bits)
{
    return type == BF16 ? from_bf16(bits) : from_fp16(bits);
}

#ifdef __cplusplus
}
#endif
#endif
