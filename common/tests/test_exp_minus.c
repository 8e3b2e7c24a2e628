/*
 * The guarded exponential: what the guard saves, and what it must not hide.
 */
#include "common/testing/assert_close.h"
#include "common/exp_minus.h"
#include "common/testing/run_tests.h"

static void it_is_e_to_the_difference(void **state)
{
    assert_close(exp_minus(0.5f, 0.0f), 1.6487212707, 1e-6);
    assert_close(exp_minus(-2.0f, 1.0f), 0.0497870684, 1e-8);
    assert_close(exp_minus(1e30f, 1e30f), 1, 0);
}

static void a_masked_score_weighs_nothing_whatever_the_maximum(void **state)
{
    assert_close(exp_minus(-INFINITY, 3.0f), 0, 0);
    assert_close(exp_minus(-INFINITY, -INFINITY), 0, 0);
    assert_close(exp_minus(-INFINITY, INFINITY), 0, 0);
}

static void nan_and_plus_infinity_are_not_hidden(void **state)
{
    assert_true(isnan(exp_minus(NAN, 0.0f)));
    assert_true(isnan(exp_minus(NAN, -INFINITY)));
    assert_true(isnan(exp_minus(INFINITY, INFINITY)));
}

static void the_inverse_of_an_empty_sum_is_zero(void **state)
{
    assert_close(inverse(0.0f), 0, 0);
    assert_close(inverse(4.0f), 0.25, 0);
    assert_true(isnan(inverse(NAN)));
}

/* 1 / 41 is rounded, and 41 times it is 1 - 2^-24. */
static void the_ratio_of_equals_is_exactly_one(void **state)
{
    assert_true(41.0f * inverse(41.0f) < 1);
    assert_close(ratio(41.0f, 41.0f), 1, 0);
    assert_close(ratio(3.0f, 4.0f), 0.75, 0);
    assert_close(ratio(0.0f, 0.0f), 0, 0);
    assert_true(isnan(ratio(1.0f, NAN)));
    assert_true(isnan(ratio(NAN, 1.0f)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(it_is_e_to_the_difference),
        cmocka_unit_test(a_masked_score_weighs_nothing_whatever_the_maximum),
        cmocka_unit_test(nan_and_plus_infinity_are_not_hidden),
        cmocka_unit_test(the_inverse_of_an_empty_sum_is_zero),
        cmocka_unit_test(the_ratio_of_equals_is_exactly_one),
    };

    return run_tests("exp_minus", tests);
}
