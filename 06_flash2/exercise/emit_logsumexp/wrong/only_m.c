/* wrong: L is the maximum, and ln l is forgotten */
/* message: L is not m: ln l belongs to it */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    rescale(o, inverse(l), dv);
    return m;
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
