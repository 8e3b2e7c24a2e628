/* wrong: takes any l that is not positive for an empty row, and so a NaN */
/* message: a NaN in l is not an empty row */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    if (!(l > 0)) {
        rescale(o, 0, dv);
        return -INFINITY;
    }
    rescale(o, 1 / l, dv);
    return m + logf(l);
}

float weight_again(float s, float L)
{
    return exp_minus(s, L);
}
