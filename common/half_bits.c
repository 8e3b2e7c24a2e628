/*
 * bf16 and fp16 as the 16 bits that a GPU holds (precision.h).
 */
#include "common/half_bits.h"

#include <math.h>

/* bf16 is the upper half of an fp32. */
uint16_t to_bf16(float x)
{
    uint32_t quiet = 0x0040; /* a NaN's payload could be all in the low half */

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
    if (fabsf(y) < 0x1p-14f) /* subnormal: an integer times 2^-24 */
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
