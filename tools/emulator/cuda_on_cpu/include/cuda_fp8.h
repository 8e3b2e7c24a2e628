/* cuda_fp8.h: fp8 e4m3 for the CPU: a sign, 4 bits of exponent, 3 of fraction.
 * There is no infinity: the codes 7f and ff are NaN, and 448 is the largest
 * number. Rounds like cvt.rn.satfinite.e4m3x2.f32 of PTX: to nearest, ties to
 * even, clamped to [-448, 448]. */
#pragma once
#include "cuda_runtime.h"

namespace emu
{
/* Codes 0 to 7e are in the order of their numbers, eight per power of two. The
 * first eight, 0 and the subnormals, have the spacing of the next eight. */
inline uint8_t to_e4m3(float x)
{
    float size = fabsf(x);
    if (isnan(x))
        return 0x7f;
    int exponent = size < 0x1p-6f ? -6 : size > 448 ? 8 : ilogbf(size);
    float n = rintf(ldexpf(fminf(size, 448), 3 - exponent));
    return (uint8_t)(8 * (exponent + 6) + (int)n + (signbit(x) ? 128 : 0));
}

inline float from_e4m3(uint8_t code)
{
    int exponent = code >> 3 & 15, n = code & 7;
    if ((code & 127) == 127)
        return NAN;
    if (exponent)
        n += 8;
    else
        exponent = 1;
    return copysignf(ldexpf((float)n, exponent - 10), code & 128 ? -1.f : 1.f);
}
} // namespace emu
