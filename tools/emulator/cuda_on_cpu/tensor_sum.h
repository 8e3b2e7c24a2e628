/* tensor_sum.h: adds products as Hopper's tensor cores are reported to do, for
 * CUDA_ON_CPU_ROUND=hardware. Each term (a product, or c) is truncated to a
 * multiple of one unit. The largest term has `bits` bits in this unit. The
 * terms are added exactly, and the sum is truncated to fp32. bits is 14 for
 * e4m3 and 25 for other operands (DeepSeek-V3, arXiv 2412.19437). */
#pragma once
#include <math.h>

namespace emu
{
/* Returns c plus the sum of a[k * a_step] * b[k * b_step] for k < n <= 32. */
inline float tensor_sum(float c, const float *a, int a_step, const float *b,
                        int b_step, int n, int bits)
{
    double x[33], largest = 0, plain = 0, sum = 0;
    x[n] = (double)c;
    for (int k = 0; k < n; k++)
        x[k] = (double)a[k * a_step] * (double)b[k * b_step];
    for (int k = 0; k <= n; k++) {
        plain += x[k];
        largest = fmax(largest, fabs(x[k]));
    }
    if (largest == 0 || !isfinite(plain))
        return (float)plain;
    double unit = fmax(ldexp(1, ilogb(largest) + 1 - bits), 0x1p-149);
    for (int k = 0; k <= n; k++)
        sum += trunc(x[k] / unit) * unit;
    float f = (float)sum;
    return fabs((double)f) > fabs(sum) ? nextafterf(f, 0) : f;
}
} // namespace emu
