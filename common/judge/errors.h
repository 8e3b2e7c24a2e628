/*
 * The error of an array against its float64 reference.
 */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/* Return ||got - want|| / ||want||, the relative Frobenius error; 0 for two
 * zero arrays. NaN if an element is NaN where want is not. An element that is
 * NaN in both, or the same infinity, is correct. error_of_rows takes rows of n
 * elements, with stride `apart` in got. */
double relative_error(const float *got, const double *want, size_t n);
double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n);

/* Return ||want|| over its finite elements, and ||got - want||. */
double norm_of(const double *want, size_t n);
double distance_from(const float *got, const double *want, size_t n);

/* The same for n logsumexps, where each |L| counts as at least 1: an error of L
 * is a relative error of e^L, so near L = 0 the absolute error is used. */
double error_of_lse(const float *got, const double *want, size_t n);
double size_of_lse(const double *want, size_t n);

/* Returns the first row (n elements) whose distance ||got - want|| is not
 * within `allowed`. Without such a row, returns the row with the largest
 * distance: the error of the array can be too large although that of each row
 * is not. */
size_t first_wrong_row(const float *got, const double *want, size_t rows,
                       size_t n, double allowed);

#endif
