/* Tests error <= tolerance, because error > tolerance is false for NaN. */
#include "common/testing/assert_close.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

bool is_close(double got, double want, double tolerance)
{
    if (isinf(got) || isinf(want))
        return got == want; /* inf - inf is NaN; a tolerance may be inf */
    return fabs(got - want) <= tolerance;
}

bool is_close_or_nan(double got, double want, double tolerance)
{
    return isnan(want) ? isnan(got) : is_close(got, want, tolerance);
}

small_difference difference(double want, double got)
{
    small_difference d = {""};
    char first[40], second[40];

    snprintf(first, sizeof first, "%.6g", want);
    snprintf(second, sizeof second, "%.6g", got);
    if (strcmp(first, second) == 0 && fabs(got - want) > 0)
        snprintf(d.text, sizeof d.text, ", a difference of %.2g", got - want);
    return d;
}

void assert_close_at(double got, double want, double tolerance,
                     const char *what, const char *file, int line)
{
    if (is_close(got, want, tolerance))
        return;

    print_error("%s: want %.9g, got %.9g, error %.3g, tolerance %.3g\n", what,
                want, got, fabs(got - want), tolerance);
    _fail(file, line);
}

void assert_all_close_at(const float *got, const double *want, size_t n,
                         double tolerance, const char *what, const char *file,
                         int line)
{
    size_t first = n, wrong = 0;

    for (size_t i = 0; i < n; i++)
        if (!is_close((double)got[i], want[i], tolerance) && wrong++ == 0)
            first = i;
    if (wrong == 0)
        return;

    print_error("%s[%zu]: want %.9g, got %.9g, error %.3g, tolerance %.3g"
                " (the first of %zu wrong among %zu)\n",
                what, first, want[first], (double)got[first],
                fabs((double)got[first] - want[first]), tolerance, wrong, n);
    _fail(file, line);
}
