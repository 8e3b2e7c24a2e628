/* cuda_bf16.h: bfloat16: the upper half of a float, rounded to nearest even. */
#pragma once
#include "emulated/sixteen.h"

namespace emu
{
inline uint16_t to_bf16(float f)
{
    unsigned bits = __float_as_uint(f);
    if ((bits & 0x7fffffffu) > 0x7f800000u)
        return 0x7fff; /* NaN */
    return (uint16_t)((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
}

inline float from_bf16(uint16_t h)
{
    return __uint_as_float((unsigned)h << 16);
}

struct Bf16 {
    static constexpr auto to = to_bf16;
    static constexpr auto from = from_bf16;
};
} // namespace emu
EMU_FORMAT(__nv_bfloat16, bfloat16, emu::Bf16)
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;
