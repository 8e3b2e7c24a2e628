/*
 * The oracle: what exact arithmetic would give, as nearly as float64 can, and
 * how far from it a step of softmax is. The fp32 inputs are taken as they are.
 */
#ifndef COMMON_REFERENCE_H
#define COMMON_REFERENCE_H

#include "common/judge/errors.h"
#include "common/softmax_row.h"

/*
 * y_i = e^{x_i - m} / sum_j e^{x_j - m} for n fp32 scores, in float64 with a
 * compensated sum; *L (if not NULL) = m + ln sum. All -inf or n = 0: y = 0,
 * L = -inf. A NaN or +inf in x: all NaN.
 */
void reference_softmax(const float *x, double *y, size_t n, double *L);

/* y = softmax of each row of x, both rows x n; L[i] is the logsumexp of row i (or
 * L is NULL). y may be x. Returns how many elements of x the step has
 * read. */
size_t softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n);

typedef struct {
    size_t lost;   /* rows of which the error is NaN or infinite */
    double passes; /* reads per element */
    double error;  /* worst relative error, ||y - ref|| / ||ref||, of a row
                    * that is not lost; NaN if all are */
} softmax_verdict;

/* What the step makes of rows x n scores. Returns 0, or 1 after one line on stderr
 * (no memory). */
int softmax_judge(softmax_verdict *verdict, const softmax_step *step,
                  size_t block, const float *x, size_t rows, size_t n);

#endif
