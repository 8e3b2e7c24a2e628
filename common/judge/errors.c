/*
 * Long sums and relative errors (errors.h).
 */
#include "common/judge/errors.h"

#include <math.h>

void long_sum_add(long_sum *s, double x)
{
    double sum = s->sum + x;

    if (fabs(s->sum) >= fabs(x))
        s->lost += (s->sum - sum) + x;
    else
        s->lost += (x - sum) + s->sum;
    s->sum = sum;
}

double long_sum_of(long_sum s)
{
    return isfinite(s.sum) ? s.sum + s.lost : s.sum;
}

double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n)
{
    long_sum errors = {0}, squares = {0};

    for (size_t i = 0; i < rows * n; i++) {
        double x = (double)got[i / n * apart + i % n], y = want[i];

        if (isfinite(y))
            long_sum_add(&squares, y * y);
        if (x != y && !(isnan(x) && isnan(y)))
            long_sum_add(&errors, (x - y) * (x - y));
    }
    return long_sum_of(errors) == 0
               ? 0
               : sqrt(long_sum_of(errors) / long_sum_of(squares));
}

double relative_error(const float *got, const double *want, size_t n)
{
    return error_of_rows(got, n, want, 1, n);
}
