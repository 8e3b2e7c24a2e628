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

#endif
