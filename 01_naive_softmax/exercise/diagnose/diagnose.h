/*
 * Exercise 01: how naive softmax fails on a row.
 *
 * docs/01_naive_softmax.md; the next hint: make hint-01 E=diagnose
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include <stddef.h>

typedef enum {
    WORKS,           /* every weight is finite, and some are not 0 */
    BROKEN_INPUT,    /* a score is NaN or +inf */
    SCORE_OVERFLOWS, /* an e^x is infinite: its weight is inf / inf = NaN */
    SUM_OVERFLOWS,   /* every e^x is finite, but their sum is not: all
                        weights are 0, and none is NaN */
    SUM_IS_0         /* every e^x is 0: all weights are 0 / 0 = NaN */
} diagnosis;

/*
 * Returns how naive_softmax fails on n >= 1 scores, or WORKS. naive_softmax
 * computes e^x with expf, and adds the results in a float, from x[0] to
 * x[n - 1]. If several failures occur, returns the first of them in the list
 * above. A score of -inf is masked, not BROKEN_INPUT: its e^x is 0.
 */
diagnosis diagnose(const float *x, size_t n);

#endif
