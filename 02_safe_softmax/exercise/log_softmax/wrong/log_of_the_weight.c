/* wrong: makes the weight first, and then its logarithm */
/* message: e^-1000 is 0 in fp32, its ln is -1000 */
#include "log_softmax.h"

#include <math.h>

#include "common/exp_minus.h"

void log_softmax(const float *x, float *y, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] == -INFINITY && !isnan(l) ? -INFINITY
                                              : logf(exp_minus(x[i], m) / l);
}
