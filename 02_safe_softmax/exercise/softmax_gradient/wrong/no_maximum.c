/* wrong: differentiates a naive softmax */
/* message: e^1000 overflows: it is a safe softmax that is differentiated */
#include "softmax_gradient.h"

#include <math.h>

#include "common/exp_minus.h"

void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    float m = 0, l = 0, D = 0;

    for (size_t i = 0; i < n; i++)
        l += dx[i] = exp_minus(x[i], m);
    for (size_t i = 0; i < n; i++)
        if (dx[i] != 0)
            D += dx[i] / l * g[i];
    for (size_t i = 0; i < n; i++)
        if (dx[i] != 0)
            dx[i] = dx[i] / l * (g[i] - D);
        else if (isnan(l))
            dx[i] = NAN;
}
