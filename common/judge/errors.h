/*
 * How far off an array is.
 */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <stddef.h>

/*
 * A sum that carries along what rounding took from it: the error stays a few
 * ulps however long the sum. A. Neumaier, ZAMM 54 (1974), 39-51.
 */
typedef struct {
    double sum, lost;
} long_sum;

void long_sum_add(long_sum *s, double x);
double long_sum_of(long_sum s);

/*
 * ||got - want|| / ||want||, the relative Frobenius error; 0 for two zero
 * arrays. NaN if an element is NaN where want is not; what is NaN or infinite in
 * both alike is right. Or of rows of n that lie that far apart in got.
 */
double relative_error(const float *got, const double *want, size_t n);
double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n);

#endif
