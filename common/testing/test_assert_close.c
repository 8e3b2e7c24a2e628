/*
 * The comparison that all other tests stand on: what must fail does fail.
 */
#include "common/testing/assert_close.h"
#include "common/testing/expect_failure.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>

static const double inf = (double)INFINITY, NaN = (double)NAN;

static void a_number_within_the_tolerance_is_close(void **state)
{
    (void)state;
    assert_true(is_close(1.0, 1.0, 0.0));
    assert_true(is_close(1.25, 1.0, 0.25));
    assert_true(is_close(0.75, 1.0, 0.25));
    assert_true(is_close(-0.0, 0.0, 0.0));
}

static void just_outside_the_tolerance_is_not_close(void **state)
{
    (void)state;
    assert_false(is_close(nextafter(1.25, 2.0), 1.0, 0.25));
    assert_false(is_close(nextafter(0.75, 0.0), 1.0, 0.25));
    assert_false(is_close(5e-324, 0.0, 0.0));
}

static void the_sign_matters(void **state)
{
    (void)state;
    assert_false(is_close(-1.0, 1.0, 1e-6));
    assert_false(is_close(-inf, inf, 1e300));
}

static void nan_is_close_to_nothing(void **state)
{
    (void)state;
    assert_false(is_close(NaN, 1.0, inf));
    assert_false(is_close(1.0, NaN, inf));
    assert_false(is_close(NaN, NaN, inf));
    assert_false(is_close(NaN, inf, inf));
    assert_false(is_close(1.0, 1.0, NaN));
}

static void nan_equals_nan_only_where_asked(void **state)
{
    (void)state;
    assert_true(is_close_or_nan(NaN, NaN, 0.0));
    assert_false(is_close_or_nan(NaN, 1.0, inf));
    assert_false(is_close_or_nan(1.0, NaN, inf));
    assert_false(is_close_or_nan(inf, NaN, inf));
}

static void infinity_is_close_to_itself_alone(void **state)
{
    (void)state;
    assert_true(is_close(inf, inf, 0.0));
    assert_true(is_close(-inf, -inf, 0.0));
    assert_false(is_close(inf, 1.0, inf));
    assert_false(is_close(1.0, inf, inf));
}

/* The asserts themselves: each of these tests has to fail. */
static const float y[] = {0.5f, 0.25f, NAN, 0.125f};

static void asserts_a_nan(void **state)
{
    (void)state;
    assert_close(NaN, 1.0, inf);
}

static void asserts_a_wrong_number(void **state)
{
    (void)state;
    assert_close(2.5f, 2.0, 0.25);
}

static void asserts_a_wrong_first(void **state)
{
    (void)state;
    assert_all_close(y, ((double[]){0.75, 0.25}), 2, 0.1);
}

static void asserts_a_wrong_last(void **state)
{
    (void)state;
    assert_all_close(y, ((double[]){0.5, 0.75}), 2, 0.1);
}

static void asserts_a_nan_in_an_array(void **state)
{
    (void)state;
    assert_all_close(y, ((double[]){0.5, 0.25, 0.5, 0.125}), 4, 1.0);
}

static void asserts_a_nan_where_none_is_wanted(void **state)
{
    (void)state;
    assert_all_close_or_nan(y, ((double[]){0.5, 0.25, 0.5, 0.125}), 4, 1.0);
}

static void asserts_a_number_where_nan_is_wanted(void **state)
{
    (void)state;
    assert_all_close_or_nan(y, ((double[]){0.5, NaN, NaN, 0.125}), 4, 1.0);
}

static void asserts_beyond_a_relative_error(void **state)
{
    (void)state;
    assert_all_relative(y, ((double[]){0.5, 0.2501}), 2, 1e-6, 0.0);
}

static void a_failing_assert_fails_its_test(void **state)
{
    void (*const failing[])(void **) = {
        asserts_a_nan,
        asserts_a_wrong_number,
        asserts_a_wrong_first,
        asserts_a_wrong_last,
        asserts_a_nan_in_an_array,
        asserts_a_nan_where_none_is_wanted,
        asserts_a_number_where_nan_is_wanted,
        asserts_beyond_a_relative_error,
    };
    char output[4096];

    (void)state;
    for (size_t i = 0; i < sizeof failing / sizeof failing[0]; i++)
        assert_true(test_fails(failing[i], NULL, output, sizeof output));
}

static void a_failure_names_index_want_got_error_and_tolerance(void **state)
{
    char output[4096];

    (void)state;
    test_fails(asserts_a_wrong_number, NULL, output, sizeof output);
    assert_non_null(
        strstr(output, "2.5f: want 2, got 2.5, error 0.5, tolerance 0.25"));

    test_fails(asserts_a_nan_in_an_array, NULL, output, sizeof output);
    assert_non_null(strstr(output, "y[2]: want 0.5, got nan, error nan,"
                                   " tolerance 1"
                                   " (the first of 1 wrong among 4)"));
}

static void what_should_pass_passes(void **state)
{
    (void)state;
    assert_close(2.25f, 2.0, 0.25);
    assert_all_close(y, ((double[]){0.5, 0.26}), 2, 0.02);
    assert_all_close_or_nan(y, ((double[]){0.5, 0.25, NaN, 0.125}), 4, 0.0);
    assert_all_relative(y, ((double[]){0.501, 0.2505}), 2, 2.1e-3, 0.0);
    assert_all_close(y, NULL, 0, 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_within_the_tolerance_is_close),
        cmocka_unit_test(just_outside_the_tolerance_is_not_close),
        cmocka_unit_test(the_sign_matters),
        cmocka_unit_test(nan_is_close_to_nothing),
        cmocka_unit_test(nan_equals_nan_only_where_asked),
        cmocka_unit_test(infinity_is_close_to_itself_alone),
        cmocka_unit_test(a_failing_assert_fails_its_test),
        cmocka_unit_test(a_failure_names_index_want_got_error_and_tolerance),
        cmocka_unit_test(what_should_pass_passes),
    };

    return run_tests("assert_close", tests);
}
