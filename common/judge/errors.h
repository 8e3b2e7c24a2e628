/* The error of an array against its float64 reference. Two NaNs and two equal
 * infinities have no difference. If an element is NaN in only one of the
 * arrays, the result is NaN. */
#ifndef COMMON_ERRORS_H
#define COMMON_ERRORS_H

#include <math.h>
#include <stddef.h>

/* Returns ||want|| of the finite elements. */
static inline double norm_of(const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(want[i]))
            squares += want[i] * want[i];
    return sqrt(squares);
}

/* Returns ||got - want||. */
static inline double distance_from(const float *got, const double *want,
                                   size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        double x = (double)got[i], y = want[i];

        if (x != y && !(isnan(x) && isnan(y)))
            squares += (x - y) * (x - y);
    }
    return sqrt(squares);
}

/* Returns ||got - want|| / ||want||, the relative Frobenius error, or 0 for two
 * zero arrays. */
static inline double relative_error(const float *got, const double *want,
                                    size_t n)
{
    double off = distance_from(got, want, n);

    return off == 0 ? 0 : off / norm_of(want, n);
}

#endif
