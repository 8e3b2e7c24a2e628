/*
 * Softmax in other formats, and where it ends (softmax_lesson.h).
 */
#include "common/lesson/softmax_lesson.h"

#include "common/print/report.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { FARTHEST = 1000, BISECTIONS = 60, POINTS = 400 };

const float_format formats[FORMATS] = {
    {"fp16", 11, -14, 15}, {"fp32", 24, -126, 127}, {"fp64", 53, -1022, 1023}};

/* Whole steps, ties to even: those of x's exponent, of the least one below. */
double round_in(const float_format *f, double x)
{
    int exponent = x == 0 || !isfinite(x) ? 0 : ilogb(x);
    int step = (exponent > f->least ? exponent : f->least) - f->digits + 1;
    double y = ldexp(nearbyint(ldexp(x, -step)), step);

    return fabs(y) < ldexp(2, f->most) ? y : y * HUGE_VAL;
}

void naive_softmax_in(const float_format *f, const double *x, double *y,
                      size_t n)
{
    double l = 0;

    for (size_t i = 0; i < n; i++)
        l = round_in(f, l + round_in(f, exp(x[i])));
    for (size_t i = 0; i < n; i++)
        y[i] = round_in(f, round_in(f, exp(x[i])) / l);
}

void safe_softmax_in(const float_format *f, const double *x, double *y,
                     size_t n)
{
    static double shifted[MOST_SCORES];
    double m = -HUGE_VAL;

    for (size_t i = 0; i < n; i++)
        m = fmax(m, x[i]);
    for (size_t i = 0; i < n; i++)
        shifted[i] = round_in(f, x[i] - m);
    naive_softmax_in(f, shifted, y, n);
}

static bool is_right(softmax_in *softmax, const float_format *f, double x,
                     size_t n)
{
    static double scores[MOST_SCORES], y[MOST_SCORES];

    for (size_t i = 0; i < n; i++)
        scores[i] = x;
    softmax(f, scores, y, n);
    return y[0] > 0; /* false for NaN, and for e^x / inf */
}

/* The last x that is right, going from 0 to the other end. */
static double last_right(softmax_in *softmax, const float_format *f, size_t n,
                         double end)
{
    double right = 0, wrong = end;

    if (is_right(softmax, f, end, n))
        return end;
    for (int k = 0; k < BISECTIONS; k++) {
        double middle = (right + wrong) / 2;

        if (is_right(softmax, f, middle, n))
            right = middle;
        else
            wrong = middle;
    }
    return right;
}

double overflow_of(softmax_in *softmax, const float_format *f, size_t n)
{
    return last_right(softmax, f, n, FARTHEST);
}

double underflow_of(softmax_in *softmax, const float_format *f, size_t n)
{
    return last_right(softmax, f, n, -FARTHEST);
}

void print_range_of_exp(void)
{
    table t = {0};

    table_row(&t, "format|e^x is infinite above|e^x is 0 below");
    for (size_t k = 0; k < FORMATS; k++)
        table_row(&t, "%s|%.2f|%.2f", formats[k].name,
                  overflow_of(naive_softmax_in, &formats[k], 1),
                  underflow_of(naive_softmax_in, &formats[k], 1));
    table_print(&t);
}

double error_near(softmax_in *softmax, const float_format *f, double x)
{
    double scores[NEAR], y[NEAR], worst = 0;
    long double e[NEAR], l = 0;

    for (size_t i = 0; i < NEAR; i++) {
        scores[i] = round_in(f, x - 2 * (double)i / (NEAR - 1));
        e[i] = expl((long double)scores[i] - (long double)scores[0]);
        l += e[i];
    }
    softmax(f, scores, y, NEAR);
    for (size_t i = 0; i < NEAR; i++) {
        double error = (double)fabsl((long double)y[i] / (e[i] / l) - 1);

        if (isnan(error))
            return (double)NAN;
        worst = fmax(worst, error);
    }
    return worst;
}

void print_near(const char *name, softmax_in *softmax)
{
    for (size_t k = 0; k < FORMATS; k++)
        for (int p = 0; p <= POINTS; p++) {
            /* Even steps of asinh x: dense about 0, both signs. */
            double x = sinh(asinh(FARTHEST) * (2.0 * p / (double)POINTS - 1));
            double error = error_near(softmax, &formats[k], x);

            printf("near,%s,%s,%.6g,%.3g\n", name, formats[k].name, x,
                   isnan(error) ? error : fmax(error, 0x1p-54));
        }
}
