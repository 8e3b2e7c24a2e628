/* Numbers of 16 and 8 bits to fp32 and back, to nearest: by the headers that
 * come with nvcc. */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include "07_cuda/witness/machine.h"

inline float from_bf16(u16 x)
{
    return __bfloat162float(__nv_bfloat16(__nv_bfloat16_raw{x}));
}
inline float from_fp16(u16 x)
{
    return __half2float(__half(__half_raw{x}));
}
inline float from_e4m3(u8 x)
{
    return from_fp16(__nv_cvt_fp8_to_halfraw(x, __NV_E4M3).x);
}
inline u16 to_bf16(float x)
{
    return __nv_bfloat16_raw(__float2bfloat16_rn(x)).x;
}
inline u16 to_fp16(float x)
{
    return __half_raw(__float2half_rn(x)).x;
}
inline u8 to_e4m3(float x) /* what is too large becomes 448 */
{
    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}
