/* wrong: multiplies what an empty part left by 0 */
/* message: what a part without keys left in O may be NaN, and 0 NaN is NaN */
#include "merge_splits.h"

#include "common/exp_minus.h"

float merge_splits(float *o, matrix O, const float *L)
{
    float m = max_of(L, O.rows), l = 0;

    for (size_t c = 0; c < O.cols; c++)
        o[c] = 0;
    for (size_t k = 0; k < O.rows; k++) {
        float p = exp_minus(L[k], m);

        l += p;
        axpy(o, p, row(O, k), O.cols);
    }
    rescale(o, inverse(l), O.cols);
    return m + logf(l);
}
