/*
 * The oracle: what exact arithmetic would give, as nearly as float64 can.
 * Plain three-pass forms; the fp32 inputs are taken as they are.
 */
#ifndef COMMON_REFERENCE_H
#define COMMON_REFERENCE_H

#include <stddef.h>

/*
 * y_i = e^{x_i - m} / sum_j e^{x_j - m} for n fp32 scores, in float64 with a
 * compensated sum; *L (if not NULL) = m + ln sum. All -inf or n = 0: y = 0,
 * L = -inf. A NaN or +inf in x: all NaN.
 */
void reference_softmax(const float *x, double *y, size_t n, double *L);

/*
 * ||got - want|| / ||want||, the relative Frobenius error; NaN if any element
 * of got is NaN, 0 for two zero arrays.
 */
double relative_error(const float *got, const double *want, size_t n);

/* max_i |got_i - want_i|; NaN if any element is NaN. */
double max_error(const float *got, const double *want, size_t n);

#endif
