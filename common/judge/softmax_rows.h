/*
 * A softmax step over the rows of an array, and how far from right it was.
 */
#ifndef COMMON_SOFTMAX_ROWS_H
#define COMMON_SOFTMAX_ROWS_H

#include "common/softmax_row.h"

/*
 * y = softmax of each row of x, both rows x n; L[i] is the logsumexp of row i
 * (L may be NULL). y may be x. Gives what was counted, over all rows.
 */
counts softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n);

typedef struct {
    size_t rows, lost; /* lost: some weight is NaN or infinite */
    double passes;     /* reads per element */
    double error;      /* worst relative error, ||y - ref|| / ||ref||, of a
                          row that is not lost; NaN if all are */
} softmax_verdict;

/*
 * What the step makes of rows x n scores, compared with float64. Returns 0, or
 * 1 after one line on stderr (no memory).
 */
int softmax_judge(softmax_verdict *verdict, const softmax_step *step,
                  size_t block, const float *x, size_t rows, size_t n);

#endif
