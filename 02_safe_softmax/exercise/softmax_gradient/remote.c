/*
 * softmax_gradient, asked of a worker (tools/grade/remote.h).
 * the skeleton holds: a_single_score_moves_nothing
 * the skeleton holds: alike_gradients_move_nothing
 */
#include "softmax_gradient.h"

#include "tools/grade/remote.h"

static void over(const float **x, const float **g, float **dx, size_t *n)
{
    GIVE(*n);
    GIVE_ALL(*x, *n);
    GIVE_ALL(*g, *n);
    GIVE_ALL(*dx, *n);
}

#ifdef JUDGE
void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    over(&x, &g, &dx, &n);
    exchange();
    TAKE_ALL(dx, n);
}
#else
void serve(void)
{
    const float *x, *g;
    float *dx;
    size_t n;

    over(&x, &g, &dx, &n);
    softmax_gradient(x, g, dx, n);
    TAKE_ALL(dx, n);
}
#endif
