/* wrong: the sum ends one score early */
/* message: one score is its own logsumexp */
#include "logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"

float logsumexp(const float *x, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i + 1 < n; i++)
        l += exp_minus(x[i], m);
    return m + logf(l);
}
