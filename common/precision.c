/*
 * Rounds and converts to bf16 and fp16 by arithmetic on the bits (precision.h).
 *
 * The bits of positive floats, compared as integers, have the same order as the
 * floats. So clearing low bits rounds down. A carry out of the fraction gives
 * the next power of two, or infinity after the largest number.
 */
#include "common/precision.h"

#include <math.h>

float round_narrow(precision type, float x)
{
    uint32_t bits = bits_of(x), unit = (uint32_t)1 << (type == BF16 ? 16 : 13);
    float y;

    if (type == FP32 || isnan(x))
        return x;
    /* Subnormals of fp16 are multiples of 2^-24, as are floats in [0.5, 1). */
    if (type == FP16 && fabsf(x) < 0x1p-14f)
        return copysignf(fabsf(x) + 0.5f - 0.5f, x);
    bits += unit / 2 - 1 + (bits / unit & 1); /* ties to even */
    y = float_of(bits - bits % unit);
    return type == FP16 && fabsf(y) > 65504 ? copysignf(INFINITY, x) : y;
}

const char *precision_name(precision type)
{
    static const char *const names[] = {
        [FP32] = "fp32", [BF16] = "bf16", [FP16] = "fp16"};

    return names[type];
}

/* The bits of a bf16 are the upper 16 bits of an fp32. A NaN whose payload is
 * in the lower 16 bits would become infinity without the quiet bit. */
uint16_t to_bf16(float x)
{
    uint32_t quiet = 0x0040;

    return (uint16_t)(bits_of(round_narrow(BF16, x)) >> 16 |
                      (isnan(x) ? quiet : 0));
}

uint16_t to_fp16(float x)
{
    float y = round_narrow(FP16, x);
    uint32_t sign = bits_of(y) >> 16 & 0x8000, size = bits_of(y) & 0x7fffffff;

    if (isnan(x))
        return (uint16_t)(sign | 0x7e00 | (size & 0x7fffff) >> 13);
    if (isinf(y))
        return (uint16_t)(sign | 0x7c00);
    if (fabsf(y) < 0x1p-14f) /* a subnormal is an integer times 2^-24 */
        return (uint16_t)(sign | (uint32_t)(fabsf(y) * 0x1p24f));
    return (uint16_t)(sign | (size - ((127 - 15) << 23)) >> 13);
}

float from_bf16(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

float from_fp16(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;

    if (exponent == 0)
        return float_of(sign | bits_of((float)fraction * 0x1p-24f));
    exponent = exponent == 31 ? 255 : exponent + (127 - 15);
    return float_of(sign | exponent << 23 | fraction << 13);
}
