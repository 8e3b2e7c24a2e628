/*
 * Exercise 01: how naive softmax fails on a row.
 *
 * docs/01_naive_softmax.md; the next hint: make hint-01 E=diagnose
 */
#ifndef DIAGNOSE_H
#define DIAGNOSE_H

#include <stddef.h>

typedef enum {
    WORKS,           /* finite weights, and not all of them are 0 */
    BROKEN_INPUT,    /* there is a NaN or +inf among the scores */
    SCORE_OVERFLOWS, /* some e^x is infinite: its weight is inf / inf, NaN */
    SUM_OVERFLOWS,   /* each e^x is finite, their sum is not: all weights are
                        0, and nothing is NaN */
    SUM_IS_0         /* every e^x is 0: all weights are 0 / 0, NaN */
} diagnosis;

/*
 * Returns what happens to these n >= 1 scores in naive_softmax, which works in
 * fp32: it computes e^x with expf, and adds in a float from x[0] on. If several
 * apply, returns the first in the list above. A score of -inf is masked: its
 * e^x is 0, and that is no fault.
 */
diagnosis diagnose(const float *x, size_t n);

#endif
