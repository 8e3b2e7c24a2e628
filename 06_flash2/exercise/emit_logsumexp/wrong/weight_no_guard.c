/* wrong: e^{-inf - -inf} for a masked score in an empty row */
/* message: a masked score in an empty row: -inf - -inf is NaN */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    rescale(o, inverse(l), dv);
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return expf(s - L);
}
