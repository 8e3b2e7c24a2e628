#include "common/judge/errors.h"

#include <math.h>

double squared_norm(const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(want[i]))
            squares += want[i] * want[i];
    return squares;
}

double norm_of(const double *want, size_t n)
{
    return sqrt(squared_norm(want, n));
}

double squared_distance(const float *got, const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++) {
        double x = (double)got[i], y = want[i];

        if (x != y && !(isnan(x) && isnan(y)))
            squares += (x - y) * (x - y);
    }
    return squares;
}

double distance_from(const float *got, const double *want, size_t n)
{
    return sqrt(squared_distance(got, want, n));
}

double relative_error(const float *got, const double *want, size_t n)
{
    double off = distance_from(got, want, n);

    return off == 0 ? 0 : off / norm_of(want, n);
}
