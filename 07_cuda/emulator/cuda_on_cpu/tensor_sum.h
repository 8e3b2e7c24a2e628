/* tensor_sum.h: how Hopper's tensor cores are reported to add up, with
 * CUDA_ON_CPU_ROUND=hardware: the products and c are cut to so many bits below
 * the largest of them, added exactly, and cut to fp32. 25 bits for 16-bit
 * numbers; 14 for e4m3, as DeepSeek-V3's report has it (arXiv 2412.19437). */
#pragma once
#include <math.h>

namespace emu
{
/* c + sum of a[k] b[k], of n numbers that lie a_step and b_step apart. */
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
