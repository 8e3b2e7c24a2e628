/* wrong: takes no maximum out */
/* message: e^89 overflows fp32 */
#include "log_softmax.h"

#include <math.h>

#include "common/exp_minus.h"

void log_softmax(const float *x, float *y, size_t n)
{
    float m = 0, l = 0, ln_l;

    for (size_t i = 0; i < n; i++)
        l += exp_minus(x[i], m);
    ln_l = logf(l);
    for (size_t i = 0; i < n; i++)
        y[i] = x[i] == -INFINITY && !isnan(l) ? -INFINITY : x[i] - m - ln_l;
}
