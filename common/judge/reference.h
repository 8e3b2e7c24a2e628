/* Computes softmax of fp32 inputs, and the error of a step, in float64. */
#ifndef COMMON_REFERENCE_H
#define COMMON_REFERENCE_H

#include "common/judge/errors.h"
#include "common/softmax_row.h"

/* Computes y_i = e^{x_i - m} / sum_j e^{x_j - m} for n fp32 scores, in float64
 * with a compensated sum, and *L = m + ln sum unless L is NULL. If all scores
 * are -inf, or n is 0, y is 0 and *L is -inf. If a score is NaN or +inf, all
 * results are NaN. */
void reference_softmax(const float *x, double *y, size_t n, double *L);

/* Runs the step on each row of x (rows x n) and writes the weights to y, which
 * may be x. Writes the logsumexp of row i to L[i] unless L is NULL. Returns the
 * number of elements read. */
size_t softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n);

typedef struct {
    size_t lost;   /* rows whose error is NaN or infinite */
    double passes; /* number of reads per element */
    double error;  /* largest relative error ||y - ref|| / ||ref|| of the other
                    * rows; NaN if there are none */
} softmax_verdict;

/* Judges the step on all rows. Returns 0, or 1 after one line on stderr. */
int softmax_judge(softmax_verdict *verdict, const softmax_step *step,
                  size_t block, const float *x, size_t rows, size_t n);

#endif
