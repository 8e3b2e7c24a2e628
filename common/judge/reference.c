/*
 * Softmax and errors in float64 (reference.h).
 */
#include "common/judge/reference.h"

#include <math.h>

/*
 * A sum that carries along what rounding took from it: the error stays a few
 * ulps however long the sum. A. Neumaier, ZAMM 54 (1974), 39-51.
 */
typedef struct {
    double sum, lost;
} long_sum;

static void add(long_sum *s, double x)
{
    double sum = s->sum + x;

    if (fabs(s->sum) >= fabs(x))
        s->lost += (s->sum - sum) + x;
    else
        s->lost += (x - sum) + s->sum;
    s->sum = sum;
}

static double total(long_sum s)
{
    return s.sum + s.lost;
}

/* e^{x - m}; the guard is for e^{-inf + inf}, in a row of nothing but -inf. */
static double weight(float x, double m)
{
    return x == -INFINITY ? 0 : exp((double)x - m);
}

void reference_softmax(const float *x, double *y, size_t n, double *L)
{
    double m = -HUGE_VAL, l;
    long_sum weights = {0};

    for (size_t i = 0; i < n; i++)
        m = fmax(m, (double)x[i]);
    for (size_t i = 0; i < n; i++)
        add(&weights, weight(x[i], m));
    l = total(weights);

    for (size_t i = 0; i < n; i++)
        y[i] = l == 0 ? 0 : weight(x[i], m) / l;
    if (L)
        *L = m + log(l);
}

double relative_error(const float *got, const double *want, size_t n)
{
    long_sum errors = {0}, squares = {0};

    for (size_t i = 0; i < n; i++) {
        double error = (double)got[i] - want[i];

        add(&errors, error * error);
        add(&squares, want[i] * want[i]);
    }
    return total(errors) == 0 ? 0 : sqrt(total(errors) / total(squares));
}

double max_error(const float *got, const double *want, size_t n)
{
    double worst = 0;

    for (size_t i = 0; i < n; i++) {
        double error = fabs((double)got[i] - want[i]);

        if (isnan(error))
            return error; /* fmax would pass over it */
        worst = fmax(worst, error);
    }
    return worst;
}
