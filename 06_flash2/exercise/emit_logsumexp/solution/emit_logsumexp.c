/*
 * e^m l is the sum of all e^s, so its logarithm is m + ln l; and a weight is
 * e^s over that sum, e^{s - L}. ln 0 = -inf does the empty row.
 */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/scores.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    scale_row(o, inverse(l), dv);
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
