/* wrong: multiplies a weight of 0 by a g of NaN */
/* message: a masked score has dx = 0, and its g is not looked at */
#include "softmax_gradient.h"

#include <math.h>

#include "common/exp_minus.h"

void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    float m = -INFINITY, l = 0, D = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += dx[i] = exp_minus(x[i], m);
    for (size_t i = 0; i < n; i++)
        D += dx[i] / l * g[i];
    for (size_t i = 0; i < n; i++)
        dx[i] = dx[i] / l * (g[i] - D);
}
