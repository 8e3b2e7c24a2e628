/*
 * e^m l is the sum of all e^s, so L is m + ln l, and the sum is e^L. A weight
 * is e^s / e^L = e^{s - L}. An empty row needs no special case: its L is ln 0 =
 * -inf.
 */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/scores.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    scale_row(o, inverse(l), dv);
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
