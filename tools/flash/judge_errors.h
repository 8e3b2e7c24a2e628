/* Errors of a user's L, and the row to show of a wrong array. */
#ifndef FLASH_JUDGE_ERRORS_H
#define FLASH_JUDGE_ERRORS_H

#include <stddef.h>

/* Returns the root mean square of n errors |got - want| / |want|. A |want| below
 * 1 counts as 1, because an absolute error of L is a relative error of e^L. */
double error_of_lse(const float *got, const double *want, size_t n);

/* Like first_wrong_row, for n logsumexps whose error_of_lse is above limit. */
size_t first_wrong_lse(const float *got, const double *want, size_t n,
                       double limit);

/* Returns the first row (of n elements) whose distance ||got - want|| is above
 * `allowed` or NaN. If there is none, returns the row with the largest one. */
size_t first_wrong_row(const float *got, const double *want, size_t rows,
                       size_t n, double allowed);

#endif
