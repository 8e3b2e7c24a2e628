/* wrong: one e^x of 0 is taken for a failure */
/* message: a weight may be 0, as long as not all are */
#include "diagnose.h"

#include <math.h>
#include <stdbool.h>

diagnosis diagnose(const float *x, size_t n)
{
    bool broken = false, overflow = false, underflow = false;
    float sum = 0;

    for (size_t i = 0; i < n; i++) {
        float e = expf(x[i]);

        broken = broken || isnan(x[i]) || x[i] == INFINITY;
        overflow = overflow || isinf(e);
        underflow = underflow || e == 0;
        sum += e;
    }
    if (broken)
        return BROKEN_INPUT;
    if (overflow)
        return SCORE_OVERFLOWS;
    if (isinf(sum))
        return SUM_OVERFLOWS;
    return underflow ? SUM_IS_0 : WORKS;
}
