#include "tools/flash/judge_errors.h"

#include <math.h>

#include "common/judge/errors.h"

double size_of_lse(const double *want, size_t n)
{
    double squares = 0;

    for (size_t i = 0; i < n; i++)
        if (isfinite(want[i]))
            squares += fmax(1, want[i] * want[i]);
    return sqrt(squares);
}

double error_of_lse(const float *got, const double *want, size_t n)
{
    double off = distance_from(got, want, n);

    return off == 0 ? 0 : off / size_of_lse(want, n);
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
