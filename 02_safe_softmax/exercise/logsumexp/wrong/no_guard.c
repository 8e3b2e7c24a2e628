/* wrong: e^{-inf - -inf} in a row of masked scores */
/* message: ln 0 = -inf, but -inf - -inf is NaN */
#include "logsumexp.h"

#include <math.h>

float logsumexp(const float *x, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += expf(x[i] - m);
    return m + logf(l);
}
