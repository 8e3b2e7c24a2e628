/* wrong: takes e^L as it is */
/* message: e^10000 overflows: the largest L comes out of all first */
#include "merge_splits.h"

#include "common/exp_minus.h"

float merge_splits(float *o, matrix O, const float *L)
{
    float m = 0, l = 0;

    for (size_t c = 0; c < O.cols; c++)
        o[c] = 0;
    for (size_t k = 0; k < O.rows; k++) {
        float p = exp_minus(L[k], m);

        l += p;
        if (p != 0)
            axpy(o, p, row(O, k), O.cols);
    }
    rescale(o, inverse(l), O.cols);
    return m + logf(l);
}
