/* cuda_fp8.h: fp8 e4m3 for the CPU: a sign, 4 bits of exponent, 3 of fraction.
 * Without infinity: the codes 7f and ff are NaN, and 448 is the largest. The
 * PTX instruction is cvt.rn.satfinite.e4m3x2.f32: to nearest even, what is
 * larger becomes 448. */
#pragma once
#include "cuda_fp16.h"

namespace emu
{
/* Codes count the numbers up from 0: eight to a power of two, and the first
 * eight, the subnormals, are as far apart as the next. */
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

/* NVIDIA's names. e5m2 is the upper half of fp16, rounded to nearest even. */
typedef unsigned char __nv_fp8_storage_t;
enum __nv_saturation_t { __NV_NOSAT, __NV_SATFINITE };
enum __nv_fp8_interpretation_t { __NV_E4M3, __NV_E5M2 };
struct __half_raw {
    unsigned short x;
    operator __half() const
    {
        return emu::from_fp16(x);
    }
};
static inline __nv_fp8_storage_t
__nv_cvt_float_to_fp8(float f, __nv_saturation_t, __nv_fp8_interpretation_t as)
{
    if (as == __NV_E4M3)
        return emu::to_e4m3(f);
    unsigned h = __half(isnan(f) ? f : fmaxf(-57344, fminf(f, 57344))).bits;
    return (__nv_fp8_storage_t)((h + 127 + (h >> 8 & 1)) >> 8);
}
static inline __half_raw __nv_cvt_fp8_to_halfraw(__nv_fp8_storage_t x,
                                                 __nv_fp8_interpretation_t as)
{
    if (as == __NV_E4M3)
        return {__half(emu::from_e4m3(x)).bits};
    return {(unsigned short)(x << 8)};
}
