/*
 * e^{L_k} is the sum of e^s over the keys of part k. So the L_k take the place
 * of scores: L is the logsumexp of the L_k, and o is softmax(L_k) times the
 * O_k.
 */
#include "merge_splits.h"

#include "common/scores.h"

float merge_splits(float *o, matrix O, const float *L)
{
    float m = max_of(L, O.rows), l = 0;

    for (size_t c = 0; c < O.cols; c++)
        o[c] = 0;
    for (size_t k = 0; k < O.rows; k++) {
        float p = exp_minus(L[k], m);

        l += p;
        if (p != 0)
            axpy(o, p, row(O, k), O.cols);
    }
    scale_row(o, inverse(l), O.cols);
    return m + logf(l);
}
