/*
 * The float64 reference of softmax, from the same fp32 inputs, and the error of
 * a softmax step against it.
 */
#ifndef COMMON_REFERENCE_H
#define COMMON_REFERENCE_H

#include "common/judge/errors.h"
#include "common/softmax_row.h"

/* y_i = e^{x_i - m} / sum_j e^{x_j - m} for n fp32 scores, in float64 with a
 * compensated sum; *L (if not NULL) = m + ln sum. All -inf or n = 0: y = 0, L =
 * -inf. A NaN or +inf in x: all NaN. */
void reference_softmax(const float *x, double *y, size_t n, double *L);

/* y = softmax of each row of x, both rows x n, by the step; L[i] is the
 * logsumexp of row i (or L is NULL). y may be x. Returns the number of elements
 * read. */
size_t softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n);

typedef struct {
    size_t lost;   /* rows whose error is NaN or infinite */
    double passes; /* reads per element */
    double error;  /* worst relative error, ||y - ref|| / ||ref||, of a row
                    * that is not lost; NaN if all are */
} softmax_verdict;

/* Runs the step on rows x n scores and writes the verdict. Returns 0, or 1
 * without memory, after one line on stderr. */
int softmax_judge(softmax_verdict *verdict, const softmax_step *step,
                  size_t block, const float *x, size_t rows, size_t n);

#endif
