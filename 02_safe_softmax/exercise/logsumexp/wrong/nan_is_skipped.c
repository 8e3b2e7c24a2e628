/* wrong: the guard asks for x > -inf, which a NaN is not either */
/* message: a NaN must not vanish */
#include "logsumexp.h"

#include <math.h>

float logsumexp(const float *x, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        if (x[i] > -INFINITY)
            l += expf(x[i] - m);
    return m + logf(l);
}
