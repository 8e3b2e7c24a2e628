/* wrong: the maximum starts at 0: negative rows underflow */
/* message: e^-104 is 0 in fp32: ln 0 = -inf */
#include "logsumexp.h"

#include <math.h>

float logsumexp(const float *x, size_t n)
{
    float m = 0, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += expf(x[i] - m);
    return m + logf(l);
}
