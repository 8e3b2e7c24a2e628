/*
 * For the grader:
 *   no points: a_single_score_has_no_gradient
 *   no points: equal_g_have_no_gradient
 *   no points: a_nan_makes_every_dx_nan
 *   softmax_gradient: n x[n] g[n] dx[n] => dx
 */
#include "softmax_gradient.h"

#include <math.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/inputs.h"
#include "common/testing/rows.h"
#include "common/testing/variant.h"

#define LONGEST 300

static void check(const float *x, const float *g, const double *want, size_t n,
                  const char *why)
{
    float *dx = malloc(n * sizeof *dx); /* exact size: detects overruns */

    assert_non_null(dx);
    for (size_t i = 0; i < n; i++)
        dx[i] = 77;
    keep_input("x", x, n);
    keep_input("g", g, n);
    softmax_gradient(x, g, dx, n);
    assert_inputs_kept();
    for (size_t i = 0; i < n; i++)
        if (!is_close_or_nan((double)dx[i], want[i], 2e-6))
            fail_msg("%s\n  score %g with g = %g, %zu of %zu: want dx = %.7g, "
                     "got %.7g%s",
                     why, (double)x[i], (double)g[i], i, n, want[i],
                     (double)dx[i], difference(want[i], (double)dx[i]).text);
    free(dx);
}

typedef struct {
    const char *test, *scores, *g, *dx, *why;
} entry;

static void check_entry(const void *row)
{
    const entry *e = row;
    size_t n;
    float *x = numbers(e->scores, &n), *g = numbers(e->g, &n);
    float *dx = numbers(e->dx, &n);
    float shift = variant_shift();
    float factor = variant_factor();
    double want[3];

    for (size_t i = 0; i < n; i++) {
        x[i] += shift;
        g[i] *= factor;
        want[i] = (double)(dx[i] * factor);
    }
    check(x, g, want, n, e->why);
}

/* Computes p = softmax(x) with `by` added to x[moved]. Returns g . p. */
static double loss(double *p, const float *x, const float *g, size_t n,
                   size_t moved, float by)
{
    float y[LONGEST] = {0};
    double L, sum = 0;

    for (size_t i = 0; i < n; i++)
        y[i] = x[i] + (i == moved ? by : 0);
    reference_softmax(y, p, n, &L);
    for (size_t i = 0; i < n; i++)
        sum += p[i] * (double)g[i];
    return sum;
}

TEST(dx_is_the_derivative_of_the_loss)
{
    random_source source = variant_seed(42);
    size_t n = variant_size(42, 37, 20, 60);
    float x[LONGEST], g[LONGEST];
    double p[LONGEST], want[LONGEST];
    const float step = 0x1p-10f; /* x + step is exact for these x */

    random_fill(&source, x, n, 2);
    random_fill(&source, g, n, 1);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(nearbyint((double)x[i] * 64) / 64);
    for (size_t i = 0; i < n; i++)
        want[i] = (loss(p, x, g, n, i, step) - loss(p, x, g, n, i, -step)) /
                  (2 * (double)step);
    check(x, g, want, n,
          "a row of random scores: dx must be the central difference");
}

int main(void)
{
    static const entry entries[] = {
        {"a_single_score_has_no_gradient", "2", "3", "0",
         "subtract the mean: the weight of a single score is always 1"},
        {"raising_one_weight_lowers_the_others", "0 0", "1 0", "0.25 -0.25",
         "each score also changes the other weight: -p_i p_j"},
        {"equal_g_have_no_gradient", "1 2 0", "3 3 3", "0 0 0",
         "subtract the mean: if all g are equal, all dx are 0"},
        {"the_mean_uses_the_weights", "1.0986123 0", "1 0", "0.1875 -0.1875",
         "subtract the mean of g with the weights p"},
        {"large_scores_do_not_overflow", "1000 1000", "1 0", "0.25 -0.25",
         "e^1000 overflows: compute a safe softmax"},
        {"masked_scores_have_no_gradient", "0 -inf 0", "1 nan 0",
         "0.25 0 -0.25", "a masked score has dx = 0 for any g"},
        {SAME_TEST, "-inf -inf", "1 2", "0 0",
         "all scores are masked: every dx is 0"},
        {"a_nan_makes_every_dx_nan", "0 nan", "1 2", "nan nan",
         "a NaN makes every dx NaN"},
        {SAME_TEST, "nan -inf", "1 2", "nan nan",
         "a NaN makes every dx NaN, even that of a masked score"},
    };

    return run_table("softmax_gradient", check_entry, entries);
}
