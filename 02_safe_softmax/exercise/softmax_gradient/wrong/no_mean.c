/* wrong: p_i g_i alone: the other weights' part is left out */
/* message: subtract the mean */
#include "softmax_gradient.h"

#include <math.h>

#include "common/exp_minus.h"

void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += dx[i] = exp_minus(x[i], m);
    for (size_t i = 0; i < n; i++)
        if (dx[i] != 0)
            dx[i] = dx[i] / l * g[i];
        else if (isnan(l))
            dx[i] = NAN;
}
