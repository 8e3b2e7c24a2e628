/*
 * How far an array is from its float64 reference.
 */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/*
 * ||got - want|| / ||want||, the relative Frobenius error; 0 for two zero
 * arrays. NaN if an element is NaN where want is not; what is NaN or infinite in
 * both alike is right. error_of_rows: the same of rows of n elements, which are
 * `apart` from each other in got.
 */
double relative_error(const float *got, const double *want, size_t n);
double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n);

/* ||want|| over the elements that are finite, and ||got - want||. */
double norm_of(const double *want, size_t n);
double distance_from(const float *got, const double *want, size_t n);

/* The same for n logsumexps, of which each counts as at least 1: an error of L
 * is a relative error of e^L, so near L = 0 the absolute error is meant. */
double error_of_lse(const float *got, const double *want, size_t n);
double size_of_lse(const double *want, size_t n);

/*
 * Returns the first of the rows (n elements each) whose distance ||got - want||
 * is not within `allowed`. If there is none, returns the row with the largest
 * distance: the array can be wrong though no row alone makes it so.
 */
size_t first_wrong_row(const float *got, const double *want, size_t rows,
                       size_t n, double allowed);

#endif
