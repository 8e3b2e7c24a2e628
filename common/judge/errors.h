/* Computes the error of an array against its float64 reference. */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/* Return ||got - want|| / ||want||, the relative Frobenius error, or 0 for two
 * zero arrays. Two NaNs and two equal infinities have no difference. The result
 * is NaN if an element is NaN in only one of the arrays. error_of_rows compares
 * rows of n elements, with stride `apart` in got. */
double relative_error(const float *got, const double *want, size_t n);
double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n);

/* norm_of returns ||want|| of the finite elements. distance_from returns
 * ||got - want||. */
double norm_of(const double *want, size_t n);
double distance_from(const float *got, const double *want, size_t n);

#endif
