/*
 * Subtracts the maximum in the exponents, and adds it after the logarithm:
 *
 *     ln sum_i e^{x_i} = m + ln sum_i e^{x_i - m}
 */
#include "logsumexp.h"

#include <math.h>

#include "common/exponential.h"

float logsumexp(const float *x, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    return m + logf(l);
}
