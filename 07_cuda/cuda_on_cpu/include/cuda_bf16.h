/* cuda_bf16.h: bfloat16 for the CPU: the upper half of a float, rounded to
 * nearest even. Storage and conversions only, as the kernels need it. */
#pragma once
#include "cuda_runtime.h"

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
} // namespace emu

struct __nv_bfloat16 {
    uint16_t bits;
};
struct alignas(4) __nv_bfloat162 {
    __nv_bfloat16 x, y;
    constexpr __nv_bfloat162() : x(), y()
    {
    }
    EMU_COPIED_WHOLE(__nv_bfloat162)
    __nv_bfloat162(__nv_bfloat16 x_, __nv_bfloat16 y_) : x(x_), y(y_)
    {
    }
};
typedef __nv_bfloat16 nv_bfloat16;
typedef __nv_bfloat162 nv_bfloat162;

static inline __nv_bfloat16 __float2bfloat16(float f)
{
    return {emu::to_bf16(f)};
}
static inline __nv_bfloat16 __float2bfloat16_rn(float f)
{
    return {emu::to_bf16(f)};
}
static inline float __bfloat162float(__nv_bfloat16 h)
{
    return emu::from_bf16(h.bits);
}
static inline __nv_bfloat162 __floats2bfloat162_rn(float x, float y)
{
    return {__float2bfloat16(x), __float2bfloat16(y)};
}
static inline float2 __bfloat1622float2(__nv_bfloat162 h)
{
    return {__bfloat162float(h.x), __bfloat162float(h.y)};
}
