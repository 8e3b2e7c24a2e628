/*
 * The oracle against figures that were worked out by hand: an oracle that is
 * wrong would pass every kernel that is wrong in the same way.
 */
#include "common/testing/assert_close.h"
#include "common/judge/reference.h"
#include "common/testing/run_tests.h"

#include <math.h>

/* n doubles against n doubles. */
static void assert_doubles(const double *got, const double *want, size_t n,
                           double tolerance)
{
    for (size_t i = 0; i < n; i++)
        assert_close(got[i], want[i], tolerance);
}

static void two_scores_are_weighted_by_e_to_their_difference(void **state)
{
    const float x[] = {0.5f, 0.0f};
    double y[2], L;

    reference_softmax(x, y, 2, &L);
    assert_close(y[0] / y[1], 1.6487212707001282, 1e-15); /* e^{1/2} */
    assert_close(y[0] + y[1], 1.0, 1e-15);
    assert_close(L, log(2.6487212707001282), 1e-15);
}

static void large_scores_have_the_same_weights(void **state)
{
    const float x[] = {1e6f + 10, 1e6f};
    double y[2], L;

    reference_softmax(x, y, 2, &L);
    assert_close(y[0] / y[1], 22026.465794806718, 1e-7); /* e^10 */
    assert_close(L - (1e6 + 10), 4.5398899216870535e-05, 1e-9);
}

/* l = 4.95344 of 0.1 0.5 0.4 0.2 0.3 0.3, whose maximum is 0.5. */
static void the_worked_example_comes_out(void **state)
{
    const float x[] = {0.1f, 0.5f, 0.4f, 0.2f, 0.3f, 0.3f};
    const double want[] = {0.135324, 0.201880, 0.182669,
                           0.149556, 0.165285, 0.165285};
    double y[6], L;

    reference_softmax(x, y, 6, &L);
    assert_doubles(y, want, 6, 1e-6);
    assert_close(exp(L - 0.5), 4.95344, 5e-6);
}

static void masked_scores_have_weight_zero(void **state)
{
    const float x[] = {-INFINITY, 2.0f, -INFINITY, 2.0f};
    const double want[] = {0, 0.5, 0, 0.5};
    double y[4], L;

    reference_softmax(x, y, 4, &L);
    assert_doubles(y, want, 4, 0);
    assert_close(L, 2 + log(2), 1e-15);
}

static void a_row_with_nothing_to_attend_to_is_zero(void **state)
{
    const float x[] = {-INFINITY, -INFINITY};
    const double want[] = {0, 0};
    double y[] = {9, 9}, L = 9;

    reference_softmax(x, y, 2, &L);
    assert_doubles(y, want, 2, 0);
    assert_close(L, -HUGE_VAL, 0);

    L = 9;
    reference_softmax(NULL, NULL, 0, &L);
    assert_close(L, -HUGE_VAL, 0);
}

static void nan_and_infinity_make_the_row_nan(void **state)
{
    const float rows[][3] = {
        {NAN, 1, 2},
        {0, NAN, 1},
        {-INFINITY, 0, NAN},
        {NAN, -INFINITY, -INFINITY},
        {INFINITY, 0, 1},
        {0, 1, INFINITY},
        {-INFINITY, INFINITY, 0},
        {INFINITY, INFINITY, INFINITY},
    };

    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        double y[3] = {0}, L = 0;

        reference_softmax(rows[r], y, 3, &L);
        assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]) && isnan(L));
    }
}

/* 1 + 2^20 weights of e^-37: a plain sum, in order, loses every one. */
static void long_sums_lose_nothing(void **state)
{
    const size_t n = (size_t)1 << 20;
    float *x = malloc((n + 1) * sizeof *x);
    double *y = malloc((n + 1) * sizeof *y);

    assert_true(x && y);
    x[0] = 0;
    for (size_t i = 1; i <= n; i++)
        x[i] = -37;
    reference_softmax(x, y, n + 1, NULL);

    assert_close(1 - y[0], 8.947549e-11, 1e-15); /* 2^20 e^-37 */
    free(x);
    free(y);
}

static void relative_error_is_that_of_the_norms(void **state)
{
    const float got[] = {3, 4.5f};
    const double want[] = {3, 4};

    assert_close(relative_error(got, want, 2), 0.1, 1e-15); /* 0.5 / 5 */
    assert_close(relative_error((float[]){0, 0}, (double[]){0, 0}, 2), 0, 0);
    assert_true(isnan(relative_error((float[]){NAN, 4}, want, 2)));
    assert_false(relative_error((float[]){1}, (double[]){0}, 1) <= 1e300);
}

static void max_error_is_the_largest_and_keeps_nan(void **state)
{
    const double want[] = {1, 2, 3};

    assert_close(max_error((float[]){1.5f, 1, 3}, want, 3), 1, 0);
    assert_true(isnan(max_error((float[]){NAN, 0, 3}, want, 3)));
    assert_true(isnan(max_error((float[]){9, 2, NAN}, want, 3)));
    assert_close(max_error(NULL, NULL, 0), 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(two_scores_are_weighted_by_e_to_their_difference),
        cmocka_unit_test(large_scores_have_the_same_weights),
        cmocka_unit_test(the_worked_example_comes_out),
        cmocka_unit_test(masked_scores_have_weight_zero),
        cmocka_unit_test(a_row_with_nothing_to_attend_to_is_zero),
        cmocka_unit_test(nan_and_infinity_make_the_row_nan),
        cmocka_unit_test(long_sums_lose_nothing),
        cmocka_unit_test(relative_error_is_that_of_the_norms),
        cmocka_unit_test(max_error_is_the_largest_and_keeps_nan),
    };

    return run_tests("reference", tests);
}
