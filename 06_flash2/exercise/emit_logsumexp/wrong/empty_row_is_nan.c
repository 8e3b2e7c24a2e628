/* wrong: 0 / 0 in a row with nothing to attend to */
/* message: a row with nothing to attend to: 0 / 0 is NaN */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    rescale(o, 1 / l, dv);
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
