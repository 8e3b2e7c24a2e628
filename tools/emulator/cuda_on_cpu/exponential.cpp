/* exponential.cpp: the fast exponentials, computed by the C library. With
 * CUDA_ON_CPU_ROUND=hardware each 2^x except 2^0, 0 and infinity differs from
 * the correct value by 2 ulp, the largest error that the PTX manual allows. The
 * parity of the bits of x chooses the sign. Page: docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/include/cuda_runtime.h"
#include "tools/emulator/cuda_on_cpu/settings.h"

float emu::exp2_approx(float x, bool flush)
{
    if (!like_hardware)
        return exp2f(x);
    const float least = flush ? 0x1p-126f : 0; /* smallest normal number */
    float y = (float)exp2((double)x);
    float to = __builtin_parity(__float_as_uint(x)) ? HUGE_VALF : 0;

    if (x == 0 || fabsf(x) < least)
        return 1;
    if (y != 0 && isfinite(y))
        y = nextafterf(nextafterf(y, to), to);
    return y < least ? 0 : y;
}

float emu::exp_approx(float x)
{
    return like_hardware ? exp2_approx(x * 1.44269504f, false) : expf(x);
}
