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

float round_narrow(precision type, float x)
{
    uint32_t bits, unit = (uint32_t)1 << (type == BF16 ? 16 : 13);
    float y;

    if (type == FP32 || isnan(x))
        return x;
    if (type == FP16 &&
        fabsf(x) < 0x1p-14f) /* subnormal: multiples of 2^-24, */
        return copysignf(fabsf(x) + 0.5f - 0.5f, x); /* as in 0.5 .. 1 */
    memcpy(&bits, &x, sizeof bits);
    bits += unit / 2 - 1 + (bits / unit & 1); /* ties to even */
    bits -= bits % unit;
    memcpy(&y, &bits, sizeof y);
    return type == FP16 && fabsf(y) > 65504 ? copysignf(INFINITY, x) : y;
}

const char *precision_name(precision type)
{
    static const char *const names[] = {
        [FP32] = "fp32", [BF16] = "bf16", [FP16] = "fp16"};

    return names[type];
}
