/*
 * What softmax_gradient has to give.
 */
#include "softmax_gradient.h"

#include <math.h>

#include "common/judge/reference.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/variant.h"

#define LONGEST 300

static void check(const float *x, const float *g, const double *want, size_t n,
                  const char *why)
{
    float *dx = malloc(n * sizeof *dx); /* no more than it takes */

    assert_non_null(dx);
    for (size_t i = 0; i < n; i++)
        dx[i] = 77;
    softmax_gradient(x, g, dx, n);
    for (size_t i = 0; i < n; i++)
        if (!is_close_or_nan((double)dx[i], want[i], 2e-6))
            fail_msg("%s\n  score %g with g = %g, %zu of %zu: want dx = %.7g, "
                     "got %.7g",
                     why, (double)x[i], (double)g[i], i, n, want[i],
                     (double)dx[i]);
    free(dx);
}

static void a_single_score_moves_nothing(void **state)
{
    check((float[]){2}, (float[]){3}, (double[]){0}, 1,
          "subtract the mean: of a single score the weight stays 1");
}

static void alike_gradients_move_nothing(void **state)
{
    check((float[]){1, 2, 0}, (float[]){3, 3, 3}, (double[]){0, 0, 0}, 3,
          "subtract the mean: all weights matter alike, and their sum stays 1");
}

static void raising_one_weight_lowers_the_others(void **state)
{
    check((float[]){0, 0}, (float[]){1, 0}, (double[]){0.25, -0.25}, 2,
          "the other score has a share in this weight: -p_i p_j");
}

static void the_mean_is_that_of_the_weights(void **state)
{
    const float ln_3 = logf(3);

    check((float[]){ln_3, 0}, (float[]){1, 0},
          (double[]){0.75 * 0.25, -0.25 * 0.75}, 2,
          "the mean of g counts each by its weight");
}

static void large_scores_do_not_overflow(void **state)
{
    check((float[]){1000, 1000}, (float[]){1, 0}, (double[]){0.25, -0.25}, 2,
          "e^1000 overflows: it is a safe softmax that is differentiated");
}

static void masked_scores_get_nothing(void **state)
{
    check((float[]){0, -INFINITY, 0}, (float[]){1, NAN, 0},
          (double[]){0.25, 0, -0.25}, 3,
          "a masked score has dx = 0, and its g is not looked at");
    check((float[]){-INFINITY, -INFINITY}, (float[]){1, 2}, (double[]){0, 0}, 2,
          "all are masked: every dx is 0");
}

static void a_broken_row_is_seen(void **state)
{
    const double nan = (double)NAN;

    check((float[]){0, NAN}, (float[]){1, 2}, (double[]){nan, nan}, 2,
          "a NaN makes every dx NaN");
    check((float[]){NAN, -INFINITY}, (float[]){1, 2}, (double[]){nan, nan}, 2,
          "a NaN makes every dx NaN, those of masked scores too");
}

/* Against what defines a gradient: the loss g . p, with one score moved. */
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

static void it_is_how_the_loss_changes(void **state)
{
    random_source source = variant_seed(42);
    size_t n = variant_size(42, 37, 20, 60);
    float x[LONGEST], g[LONGEST];
    double p[LONGEST], want[LONGEST];
    const float step = 0x1p-10f; /* x + step is exact for what x is here */

    random_fill(&source, x, n, 2);
    random_fill(&source, g, n, 1);
    for (size_t i = 0; i < n; i++)
        x[i] = (float)(nearbyint((double)x[i] * 64) / 64);
    for (size_t i = 0; i < n; i++)
        want[i] = (loss(p, x, g, n, i, step) - loss(p, x, g, n, i, -step)) /
                  (2 * (double)step);
    check(x, g, want, n, "a row of random scores, against differences");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_single_score_moves_nothing),
        cmocka_unit_test(raising_one_weight_lowers_the_others),
        cmocka_unit_test(alike_gradients_move_nothing),
        cmocka_unit_test(the_mean_is_that_of_the_weights),
        cmocka_unit_test(large_scores_do_not_overflow),
        cmocka_unit_test(masked_scores_get_nothing),
        cmocka_unit_test(a_broken_row_is_seen),
        cmocka_unit_test(it_is_how_the_loss_changes),
    };

    return run_tests("softmax_gradient", tests);
}
