/*
 * The logarithm of a quotient is a difference, and ln e^x needs no exponential:
 *
 *     ln(e^{x_i} / sum_j e^{x_j}) = (x_i - m) - ln l
 *
 * x_i - m is computed first: m + ln l would lose digits of ln l if m is large.
 */
#include "log_softmax.h"

#include <math.h>

#include "common/exponential.h"

void log_softmax(const float *x, float *y, size_t n)
{
    float m = -INFINITY, l = 0, ln_l;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    ln_l = logf(l);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] == -INFINITY && !isnan(l) ? -INFINITY : x[i] - m - ln_l;
}
