/* The error of an array against its float64 reference. Two NaNs and two equal
 * infinities have no difference. If an element is NaN in only one of the
 * arrays, the result is NaN. */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/* Returns ||want||^2 of the finite elements. */
double squared_norm(const double *want, size_t n);

/* Returns ||want|| of the finite elements. */
double norm_of(const double *want, size_t n);

/* Returns ||got - want||^2. */
double squared_distance(const float *got, const double *want, size_t n);

/* Returns ||got - want||. */
double distance_from(const float *got, const double *want, size_t n);

/* Returns ||got - want|| / ||want||, the relative Frobenius error, or 0 for two
 * zero arrays. */
double relative_error(const float *got, const double *want, size_t n);

#endif
