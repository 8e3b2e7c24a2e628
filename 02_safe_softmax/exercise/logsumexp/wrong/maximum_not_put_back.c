/* wrong: the maximum is taken out and not put back */
/* message: n scores of x have x + ln n */
#include "logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"

float logsumexp(const float *x, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    return logf(l);
}
