/* wrong: a logarithm to base 2, as on a GPU */
/* message: L is m + ln l, and ln a natural logarithm */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    rescale(o, inverse(l), dv);
    return m + log2f(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
