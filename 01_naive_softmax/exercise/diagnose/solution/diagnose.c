/*
 * Runs the first pass of naive softmax. Checks every score, every exponential
 * and the sum.
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
