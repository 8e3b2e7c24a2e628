/* cuda_fp16.h: half precision for the CPU, rounded to nearest, ties to even. */
#pragma once
#include "emulated/sixteen.h"

namespace emu
{
inline uint16_t to_fp16(float f)
{
    unsigned bits = __float_as_uint(f), sign = bits >> 16 & 0x8000u;
    unsigned size = bits & 0x7fffffffu;
    if (size > 0x7f800000u)
        return 0x7fff;                     /* NaN */
    if (size >= 0x477ff000u)               /* 65520: rounds to 2^16 */
        return (uint16_t)(sign | 0x7c00u); /* infinity */
    if (size < 0x38800000u)                /* 2^-14: subnormal below */
        return (uint16_t)(sign |
                          (unsigned)rintf(__uint_as_float(size) * 0x1p24f));
    unsigned rounded = size + 0xfffu + (size >> 13 & 1);
    return (uint16_t)(sign | ((rounded - 0x38000000u) >> 13));
}

inline float from_fp16(uint16_t h)
{
    unsigned sign = (unsigned)(h & 0x8000) << 16;
    unsigned exponent = h >> 10 & 31u, fraction = h & 1023u;
    if (exponent == 31)
        return __uint_as_float(sign | 0x7f800000u | fraction << 13);
    if (exponent == 0)
        return (sign ? -1.0f : 1.0f) * (float)fraction * 0x1p-24f;
    return __uint_as_float(sign | (exponent + 112) << 23 | fraction << 13);
}

struct Fp16 {
    static constexpr auto to = to_fp16;
    static constexpr auto from = from_fp16;
};
} // namespace emu
EMU_FORMAT(__half, half, emu::Fp16)
typedef __half half;
typedef __half2 half2;
