/*
 * Errors for flash judge, in addition to common/judge/errors.h.
 */
#ifndef FLASH_JUDGE_ERRORS_H
#define FLASH_JUDGE_ERRORS_H

#include <stddef.h>

/* Return the relative error of n logsumexps, and the norm by which it is
 * divided. Each |L| counts as at least 1: an error of L is a relative error of
 * e^L, so near L = 0 the absolute error matters. */
double error_of_lse(const float *got, const double *want, size_t n);
double size_of_lse(const double *want, size_t n);

/* Returns the first row (n elements) whose distance ||got - want|| is not
 * within `allowed`. Without such a row, returns the row with the largest
 * distance: the error of the array can be too large although that of each row
 * is not. */
size_t first_wrong_row(const float *got, const double *want, size_t rows,
                       size_t n, double allowed);

#endif
