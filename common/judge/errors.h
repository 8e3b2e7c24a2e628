/*
 * How far off an array is.
 */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/*
 * ||got - want|| / ||want||, the relative Frobenius error; 0 for two zero
 * arrays. NaN if an element is NaN where want is not; what is NaN or infinite in
 * both alike is right. Or of rows of n that lie that far apart in got.
 */
double relative_error(const float *got, const double *want, size_t n);
double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n);

#endif
