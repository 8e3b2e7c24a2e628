/* wrong: emits L, and leaves o as it is */
/* message: o is still the sum: divide it by l */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    (void)o, (void)dv;
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
