/*
 * Runs the first pass of naive softmax, and checks every number. If a weight is
 * wrong, a score, an exponential or the sum is not finite, or the sum is 0.
 */
#include "diagnose.h"

#include <math.h>
#include <stdbool.h>

diagnosis diagnose(const float *x, size_t n)
{
    bool broken = false, overflow = false;
    float sum = 0;

    for (size_t i = 0; i < n; i++) {
        float e = expf(x[i]);

        broken = broken || isnan(x[i]) || x[i] == INFINITY;
        overflow = overflow || isinf(e);
        sum += e;
    }
    if (broken)
        return BROKEN_INPUT;
    if (overflow)
        return SCORE_OVERFLOWS;
    if (isinf(sum))
        return SUM_OVERFLOWS;
    return sum == 0 ? SUM_IS_0 : WORKS;
}
