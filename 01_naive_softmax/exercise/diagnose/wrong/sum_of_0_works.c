/* wrong: a sum of 0 is taken for a sum like any other */
/* message: every e^x is 0, and 0 / 0 is NaN */
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
    return WORKS;
}
