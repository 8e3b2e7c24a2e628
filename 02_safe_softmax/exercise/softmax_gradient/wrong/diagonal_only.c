/* wrong: looks at dp_i / dx_i and at no other weight */
/* message: the other score has a share in this weight: -p_i p_j */
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
            dx[i] = dx[i] / l * (1 - dx[i] / l) * g[i];
        else if (isnan(l))
            dx[i] = NAN;
}
