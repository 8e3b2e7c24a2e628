/* wrong: a masked score hides that the row is broken */
/* message: a NaN makes the whole row NaN */
#include "log_softmax.h"

#include <math.h>

#include "common/exp_minus.h"

void log_softmax(const float *x, float *y, size_t n)
{
    float m = -INFINITY, l = 0, ln_l;

    for (size_t i = 0; i < n; i++)
        m = fmaxf(m, x[i]);
    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    ln_l = logf(l);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] == -INFINITY ? -INFINITY : x[i] - m - ln_l;
}
