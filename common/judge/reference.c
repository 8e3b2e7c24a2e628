/*
 * Softmax and errors in float64, and the judging of a step (reference.h).
 */
#include "common/judge/reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

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
    return isfinite(s.sum) ? s.sum + s.lost : s.sum;
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

double error_of_rows(const float *got, size_t apart, const double *want,
                     size_t rows, size_t n)
{
    long_sum errors = {0}, squares = {0};

    for (size_t i = 0; i < rows * n; i++) {
        double x = (double)got[i / n * apart + i % n], y = want[i];

        if (isfinite(y))
            add(&squares, y * y);
        if (x != y && !(isnan(x) && isnan(y)))
            add(&errors, (x - y) * (x - y));
    }
    return total(errors) == 0 ? 0 : sqrt(total(errors) / total(squares));
}

double relative_error(const float *got, const double *want, size_t n)
{
    return error_of_rows(got, n, want, 1, n);
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

counts softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n)
{
    softmax_row r = {.n = n, .block = block, .type = step->type};

    for (size_t i = 0; i < rows; i++) {
        r.x = x + i * n;
        r.y = y + i * n;
        step->run(&r);
        if (L)
            L[i] = r.L;
    }
    return r.counts;
}

static bool is_lost(const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return true;
    return false;
}

int softmax_judge(softmax_verdict *v, const softmax_step *step, size_t block,
                  const float *x, size_t rows, size_t n)
{
    float *y = malloc((n + 1) * sizeof(*y));
    double *want = malloc((n + 1) * sizeof(*want)), read = 0;
    bool failed = !y || !want;

    *v = (softmax_verdict){.rows = rows};
    if (failed)
        fprintf(stderr, "softmax: no memory for a row of %zu\n", n);
    for (size_t i = 0; i < rows && !failed; i++, x += n) {
        read +=
            (double)softmax_rows(step, block, x, y, NULL, 1, n).read[ALGORITHM];
        if (is_lost(y, n)) {
            v->lost++;
            continue;
        }
        reference_softmax(x, want, n, NULL);
        v->error = fmax(v->error, relative_error(y, want, n));
    }
    v->passes = rows && n ? read / ((double)rows * (double)n) : 0;
    if (v->lost == rows)
        v->error = (double)NAN;
    free(y);
    free(want);
    return failed;
}
