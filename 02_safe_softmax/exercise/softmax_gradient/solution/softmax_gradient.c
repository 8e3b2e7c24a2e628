/*
 * The gradient of a score is a sum over the weights j:
 *
 *     dx_i = p_i g_i - p_i sum_j p_j g_j = p_i (g_i - D)
 *
 * D is the mean of g with the weights p. It is one number for the whole row, so
 * no n x n matrix is needed.
 */
#include "softmax_gradient.h"

#include <math.h>

#include "common/exponential.h"

void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    float m = -INFINITY, l = 0, D = 0;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
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
