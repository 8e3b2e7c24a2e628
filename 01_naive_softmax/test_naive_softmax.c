/*
 * Naive softmax is right while no e^x leaves fp32, and how it fails beyond.
 */
#include "01_naive_softmax/steps.h"

#include <math.h>
#include <string.h>

#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"
#include "common/testing/contract/softmax_contract.h"

static const softmax_subject naive = {naive_softmax, 2, 1};

/* y and L of n scores; returns L. */
static float softmax(const float *x, float *y, size_t n)
{
    softmax_row r = softmax_of(&naive, x, n, FP32);
    float L = r.L;

    memcpy(y, r.y, n * sizeof *y);
    softmax_free(&r);
    return L;
}

/* --- The cliffs: the largest x whose e^x is finite, the smallest not 0 ---- */

static void e_to_x_overflows_fp32_beyond_88_72(void **state)
{
    (void)state;
    assert_true(isfinite(expf(88.72f)));
    assert_true(isinf(expf(88.73f)));
}

static void e_to_x_overflows_fp16_beyond_11_09(void **state)
{
    (void)state;
    assert_true(isfinite(round_to(FP16, expf(11.09f))));
    assert_true(isinf(round_to(FP16, expf(11.10f))));
    assert_true(isfinite(round_to(FP16, expf(10)))); /* 22026 is not too much */
}

static void e_to_x_overflows_fp64_beyond_709_78(void **state)
{
    (void)state;
    assert_true(isfinite(exp(709.78)));
    assert_true(isinf(exp(709.79)));
}

static void e_to_x_is_zero_in_fp32_below_minus_103_97(void **state)
{
    (void)state;
    assert_true(expf(-103.97f) > 0);
    assert_true(expf(-103.98f) == 0);
}

/* --- Overflow ------------------------------------------------------------- */

static void a_score_of_89_gives_nan(void **state)
{
    float y, L = softmax((float[]){89}, &y, 1);

    (void)state;
    assert_true(isnan(y)); /* inf / inf */
    assert_close(L, HUGE_VAL, 0);
}

static void a_score_of_89_gives_the_others_zero(void **state)
{
    float y[3], L = softmax((float[]){88, 89, 0}, y, 3);

    (void)state;
    assert_close(y[0], 0, 0); /* 1.7e38 / inf: the right weight is 0.27 */
    assert_true(isnan(y[1]));
    assert_close(y[2], 0, 0);
    assert_close(L, HUGE_VAL, 0);
}

/* No e^x overflows, but their sum does, beyond 88.72 - ln 8 = 86.64. */
static void the_sum_overflows_before_the_scores(void **state)
{
    float x[8], y[8], L;

    (void)state;
    for (size_t i = 0; i < 8; i++)
        x[i] = 86.6f;
    L = softmax(x, y, 8);
    assert_close(y[7], 0.125, 1e-6);
    assert_close(L, 88.6794, 1e-4);

    for (size_t i = 0; i < 8; i++)
        x[i] = 86.7f;
    L = softmax(x, y, 8);
    assert_all_close(y, ((double[8]){0}), 8, 0);
    assert_close(L, HUGE_VAL, 0);
}

/* --- Underflow ------------------------------------------------------------ */

static void scores_below_minus_103_97_give_0_over_0(void **state)
{
    float y[3], L = softmax((float[]){-104, -105, -110}, y, 3);

    (void)state;
    assert_true(isnan(y[0]) && isnan(y[1]) && isnan(y[2]));
    assert_close(L, -HUGE_VAL, 0);
}

/* e^-102 is rounded to 4 smallest denormals, e^-103 to 1: 4/5, not 0.731. */
static void scores_below_minus_87_34_lose_their_digits(void **state)
{
    float y[2];

    (void)state;
    softmax((float[]){-102, -103}, y, 2);
    assert_close(y[0], 0.8, 1e-7);
    assert_close(y[1], 0.2, 1e-7);
}

/* --- What is masked or infinite ------------------------------------------- */

static void a_row_of_masked_scores_gives_0_over_0(void **state)
{
    float y[2], L = softmax((float[]){-INFINITY, -INFINITY}, y, 2);

    (void)state;
    assert_true(isnan(y[0]) && isnan(y[1]));
    assert_close(L, -HUGE_VAL, 0);
}

static void plus_infinity_gives_nan_and_the_others_zero(void **state)
{
    float y[3], L = softmax((float[]){0, INFINITY, 88}, y, 3);

    (void)state;
    assert_close(y[0], 0, 0);
    assert_true(isnan(y[1]));
    assert_close(y[2], 0, 0);
    assert_close(L, HUGE_VAL, 0);
}

int main(void)
{
    const softmax_asked steps[] = {
        {"naive_softmax", {naive_softmax, 2, 64}, true}, {0}};
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(e_to_x_overflows_fp32_beyond_88_72),
        cmocka_unit_test(e_to_x_overflows_fp16_beyond_11_09),
        cmocka_unit_test(e_to_x_overflows_fp64_beyond_709_78),
        cmocka_unit_test(e_to_x_is_zero_in_fp32_below_minus_103_97),
        cmocka_unit_test(a_score_of_89_gives_nan),
        cmocka_unit_test(a_score_of_89_gives_the_others_zero),
        cmocka_unit_test(the_sum_overflows_before_the_scores),
        cmocka_unit_test(scores_below_minus_103_97_give_0_over_0),
        cmocka_unit_test(scores_below_minus_87_34_lose_their_digits),
        cmocka_unit_test(a_row_of_masked_scores_gives_0_over_0),
        cmocka_unit_test(plus_infinity_gives_nan_and_the_others_zero),
    };

    return run_softmax_tests("naive_softmax", steps, tests,
                             sizeof tests / sizeof tests[0]);
}
