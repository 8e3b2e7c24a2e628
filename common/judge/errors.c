/*
 * Relative errors (errors.h).
 */
#include "common/judge/errors.h"

#include <math.h>

double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n)
{
    double errors = 0, squares = 0;

    for (size_t i = 0; i < rows * n; i++) {
        double x = (double)got[i / n * apart + i % n], y = want[i];

        if (isfinite(y))
            squares += y * y;
        if (x != y && !(isnan(x) && isnan(y)))
            errors += (x - y) * (x - y);
    }
    return errors == 0 ? 0 : sqrt(errors / squares);
}

double relative_error(const float *got, const double *want, size_t n)
{
    return error_of_rows(got, n, want, 1, n);
}
