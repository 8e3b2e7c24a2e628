#include "tools/flash/judge_errors.h"

#include <float.h>
#include <math.h>

#include "common/judge/errors.h"

static double error_of_one(float got, double want)
{
    double off = distance_from(&got, &want, 1);

    return off == 0 ? 0 : off / fmin(fmax(1, fabs(want)), DBL_MAX);
}

double error_of_lse(const float *got, const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        squares += pow(error_of_one(got[i], want[i]), 2);
    return n ? sqrt(squares / (double)n) : 0;
}

size_t first_wrong_lse(const float *got, const double *want, size_t n,
                       double limit)
{
    size_t worst = 0;

    for (size_t i = 0; i < n; i++) {
        double off = error_of_one(got[i], want[i]);

        if (!(off <= limit * sqrt((double)n)))
            return i;
        if (off > error_of_one(got[worst], want[worst]))
            worst = i;
    }
    return worst;
}

size_t first_wrong_row(const float *got, const double *want, size_t rows,
                       size_t n, double allowed)
{
    size_t worst = 0;
    double largest = 0;

    for (size_t i = 0; i < rows; i++) {
        double off = distance_from(got + i * n, want + i * n, n);

        if (!(off <= allowed))
            return i;
        if (off > largest) {
            largest = off;
            worst = i;
        }
    }
    return worst;
}
