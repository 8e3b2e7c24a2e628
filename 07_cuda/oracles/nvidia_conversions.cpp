/* Roundings by NVIDIA's own headers, on the host. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

extern "C" unsigned nvidia_e4m3(float x)
{
    return __nv_cvt_float_to_fp8(x, __NV_SATFINITE, __NV_E4M3);
}

extern "C" unsigned nvidia_bf16(float x)
{
    return __nv_bfloat16_raw(__float2bfloat16_rn(x)).x;
}

extern "C" unsigned nvidia_fp16(float x)
{
    return __half_raw(__float2half_rn(x)).x;
}

extern "C" float nvidia_of_e4m3(unsigned code)
{
    return __half2float(
        __nv_cvt_fp8_to_halfraw((__nv_fp8_storage_t)code, __NV_E4M3));
}
