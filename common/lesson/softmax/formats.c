#include "common/lesson/softmax/formats.h"

#include <math.h>
#include <stdbool.h>

enum { BISECTIONS = 60 };

const float_format formats[FORMATS] = {
    {"fp16", 11, -14, 15}, {"fp32", 24, -126, 127}, {"fp64", 53, -1022, 1023}};

/* The result is a multiple of 2^step, the distance between adjacent numbers of
 * the format near x (normal or subnormal). Ties go to even. */
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

/* True if n equal scores x have positive weights. The weights are NaN if e^x
 * overflows or becomes 0, and 0 if only the sum overflows. */
static bool is_right(softmax_in *softmax, const float_format *f, double x,
                     size_t n)
{
    static double scores[MOST_SCORES], y[MOST_SCORES];

    for (size_t i = 0; i < n; i++)
        scores[i] = x;
    softmax(f, scores, y, n);
    return y[0] > 0;
}

double last_right(softmax_in *softmax, const float_format *f, size_t n,
                  double end)
{
    double right = 0, wrong = end;

    for (int k = 0; k < BISECTIONS; k++) {
        double middle = (right + wrong) / 2;

        if (is_right(softmax, f, middle, n))
            right = middle;
        else
            wrong = middle;
    }
    return right;
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

        worst = isnan(error) || error > worst ? error : worst;
    }
    return worst;
}
