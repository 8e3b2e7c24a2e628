/*
 * softmax_gradient, asked of a worker (tools/grade/remote.h).
 */
#include "softmax_gradient.h"

#include <stdlib.h>

#include "tools/grade/remote.h"

#ifdef JUDGE
void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    SAY(n);
    SAY_ALL(x, n);
    SAY_ALL(g, n);
    exchange();
    HEAR_ALL(dx, n);
}
#else
void serve(void)
{
    size_t n;
    float *x, *g, *dx;

    HEAR(n);
    x = heard_floats(n);
    g = heard_floats(n);
    dx = malloc(n * sizeof *dx);
    softmax_gradient(x, g, dx, n);
    SAY_ALL(dx, n);
    free(x);
    free(g);
    free(dx);
}
#endif
