/*
 * Rounding to bf16 and fp16 by integer arithmetic on the bits (precision.h).
 *
 * Read as integers, positive floats are in the order of their values: so
 * dropping low bits rounds down, and a carry out of the fraction steps to the
 * next power of two, out of the largest number to infinity.
 */
#include "common/precision.h"

#include <math.h>
#include <string.h>

static uint32_t bits_of(float x)
{
    uint32_t bits;

    memcpy(&bits, &x, sizeof(bits));
    return bits;
}

static float float_of(uint32_t bits)
{
    float x;

    memcpy(&x, &bits, sizeof(x));
    return x;
}

/* v / 2^shift, 1 <= shift <= 31, to the nearest integer, ties to even. */
static uint32_t shift_to_nearest(uint32_t v, unsigned shift)
{
    uint32_t half = (uint32_t)1 << (shift - 1);
    uint32_t odd = v >> shift & 1;

    return (v + half - 1 + odd) >> shift;
}

/* bf16 is the upper half of an fp32. */
uint16_t to_bf16(float x)
{
    uint32_t bits = bits_of(x);
    uint32_t quiet = 0x0040; /* a NaN's payload could be all in the low half */

    if (isnan(x))
        return (uint16_t)(bits >> 16 | quiet);
    return (uint16_t)shift_to_nearest(bits, 16);
}

uint16_t to_fp16(float x)
{
    uint32_t sign = bits_of(x) >> 16 & 0x8000;
    uint32_t size = bits_of(x) & 0x7fffffff;
    uint32_t exponent = size >> 23, fraction = size & 0x7fffff;
    uint32_t narrow;

    if (isnan(x))
        narrow = 0x7e00 | fraction >> 13;
    else if (exponent >= 127 + 16) /* 2^16 and up */
        narrow = 0x7c00;
    else if (exponent >= 127 - 14) /* normal: the bias goes from 127 to 15 */
        narrow = shift_to_nearest(size - ((127 - 15) << 23), 13);
    else if (exponent >= 127 - 25) /* subnormal: a multiple of 2^-24 */
        narrow = shift_to_nearest(fraction | 0x800000, 126 - exponent);
    else
        narrow = 0;
    return (uint16_t)(sign | narrow);
}

float from_bf16(uint16_t bits)
{
    return float_of((uint32_t)bits << 16);
}

float from_fp16(uint16_t bits)
{
    uint32_t sign = (uint32_t)(bits & 0x8000) << 16;
    uint32_t exponent = bits >> 10 & 31, fraction = bits & 0x3ff;

    if (exponent == 0) /* subnormal: an integer times 2^-24 */
        return float_of(sign | bits_of((float)fraction * 0x1p-24f));
    exponent = exponent == 31 ? 255 : exponent + (127 - 15);
    return float_of(sign | exponent << 23 | fraction << 13);
}

float round_narrow(precision type, float x)
{
    switch (type) {
    case BF16:
        return from_bf16(to_bf16(x));
    case FP16:
        return from_fp16(to_fp16(x));
    case FP32:
        break;
    }
    return x;
}

const char *precision_name(precision type)
{
    static const char *const names[] = {
        [FP32] = "fp32", [BF16] = "bf16", [FP16] = "fp16"};

    return names[type];
}
