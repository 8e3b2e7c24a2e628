/* Computes the error of an array (errors.h). */
#include "common/judge/errors.h"

#include <math.h>

double norm_of(const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(want[i]))
            squares += want[i] * want[i];
    return sqrt(squares);
}

/* Returns ||got - want|| of rows of n elements, with stride `apart` in got. */
static double distance_of_rows(const float *got, size_t apart,
                               const double *want, size_t rows, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < rows * n; i++) {
        double x = (double)got[i / n * apart + i % n], y = want[i];

        if (x != y && !(isnan(x) && isnan(y)))
            squares += (x - y) * (x - y);
    }
    return sqrt(squares);
}

double distance_from(const float *got, const double *want, size_t n)
{
    return distance_of_rows(got, n, want, 1, n);
}

double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n)
{
    double off = distance_of_rows(got, apart, want, rows, n);

    return off == 0 ? 0 : off / norm_of(want, rows * n);
}

double relative_error(const float *got, const double *want, size_t n)
{
    return error_of_rows(got, n, want, 1, n);
}
