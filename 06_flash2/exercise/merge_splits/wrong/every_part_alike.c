/* wrong: takes the mean of the outputs, whatever L says */
/* message: a part that is larger by ln 3 in L has three times the weight */
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
        if (p != 0)
            axpy(o, 1, row(O, k), O.cols);
    }
    rescale(o, inverse((float)O.rows), O.cols);
    return m + logf(l);
}
