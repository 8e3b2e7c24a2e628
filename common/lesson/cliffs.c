/* Runs softmax in three formats, and on scaled or shifted real scores. */
#include "common/lesson/softmax_lesson.h"

#include "common/print/report.h"
#include "common/judge/reference.h"
#include "common/lesson/bundled.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>

enum { BISECTIONS = 60, POINTS = 400 };

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

void print_near(const char *name, softmax_in *softmax)
{
    for (size_t k = 0; k < FORMATS; k++)
        for (int p = 0; p <= POINTS; p++) {
            /* Equal steps of asinh x give both signs, and more x near 0. */
            double x = sinh(asinh(FARTHEST) * (2.0 * p / (double)POINTS - 1));
            double error = error_near(softmax, &formats[k], x);

            printf("near,%s,%s,%.6g,%.3g\n", name, formats[k].name, x,
                   isnan(error) ? error : fmax(error, 0x1p-54));
        }
}

/* Each score x becomes `times` * x + `plus`. In exact arithmetic `plus` does
 * not change the weights. */
static const struct {
    const char *name;
    float times, plus;
} changes[] = {{"as they are", 1, 0},
               {"times 5", 5, 0},
               {"times 20", 20, 0},
               {"minus 100", 1, -100},
               {"minus 200", 1, -200}};

/* Returns the lowest and the highest of n scores as text: "-23.18|15.62". */
static words range_text(const float *x, size_t n)
{
    float low = INFINITY, high = -INFINITY;
    words w;

    for (size_t i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    snprintf(w.text, sizeof w.text, "%.2f|%.2f", (double)low, (double)high);
    return w;
}

int print_changed_scores(const char *title, const softmax_step *const steps[])
{
    bool alone = steps[1] == NULL;
    npy_array x, y = {0};
    table t = {0};
    int failed;
    size_t n;

    if (bundled_scores(&x) != 0)
        return 1;
    n = x.shape[3];
    failed = npy_new(&y, x.dims, x.shape);
    heading("%s: %zu rows of %zu%s", title, x.size / n, n,
            alone ? "" : " scores");
    table_row(&t, "scores|%s|rows lost|passes|error of the rest",
              alone ? "lowest|highest" : "step");
    for (size_t k = 0; k < sizeof changes / sizeof *changes && !failed; k++) {
        for (size_t i = 0; i < x.size; i++)
            y.data[i] = x.data[i] * changes[k].times + changes[k].plus;
        for (size_t s = 0; steps[s] && !failed; s++) {
            softmax_verdict v;

            failed = softmax_judge(&v, steps[s], 1, y.data, y.size / n, n);
            table_row(&t, "%s|%s|%zu|%g|%s", changes[k].name,
                      alone ? range_text(y.data, y.size).text : steps[s]->name,
                      v.lost, v.passes, error_text(v.error).text);
        }
    }
    npy_free(&x);
    npy_free(&y);
    if (!failed)
        table_print(&t);
    return failed;
}
