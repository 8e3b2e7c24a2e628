/* wrong: compares the scores with 88 */
/* message: e^88.7 is still finite */
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
        overflow = overflow || x[i] > 88;
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
