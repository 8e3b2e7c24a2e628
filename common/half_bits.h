/*
 * bf16 and fp16 as the 16 bits that a GPU holds.
 */
#ifndef COMMON_HALF_BITS_H
#define COMMON_HALF_BITS_H

#include "common/precision.h"

#include <string.h>

#ifdef __cplusplus
extern "C" {
#endif

/* fp32 as its bits, and back. */
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

/*
 * The 16 bits nearest to x, ties to even, overflow to infinity, subnormals
 * exact; a NaN stays a NaN and keeps its sign.
 */
uint16_t to_bf16(float x);
uint16_t to_fp16(float x);

/* The float that those 16 bits mean; exact. */
float from_bf16(uint16_t bits);
float from_fp16(uint16_t bits);

/* The same of a type that is not fp32. */
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
