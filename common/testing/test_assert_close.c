/*
 * The comparison that all other tests stand on: what must fail does fail.
 */
#include "common/testing/assert_close.h"
#include "common/testing/expect_failure.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <string.h>

#define INF ((double)INFINITY)
#define NaN ((double)NAN)

static const struct {
    double got, want, tolerance;
    bool close, or_nan; /* by is_close, and by is_close_or_nan */
} pairs[] = {
    {1.0, 1.0, 0.0, true, true},
    {1.25, 1.0, 0.25, true, true},
    {0.75, 1.0, 0.25, true, true},
    {-0.0, 0.0, 0.0, true, true},
    {INF, INF, 0.0, true, true},
    {-INF, -INF, 0.0, true, true},
    {0x1.4000000000001p0, 1.0, 0.25, false, false}, /* next after 1.25 */
    {0x1.7ffffffffffffp-1, 1.0, 0.25, false, false},
    {5e-324, 0.0, 0.0, false, false},
    {-1.0, 1.0, 1e-6, false, false},
    {-INF, INF, 1e300, false, false},
    {INF, 1.0, INF, false, false},
    {1.0, INF, INF, false, false},
    {NaN, 1.0, INF, false, false},
    {1.0, NaN, INF, false, false},
    {INF, NaN, INF, false, false},
    {NaN, INF, INF, false, false},
    {1.0, 1.0, NaN, false, false},
    {NaN, NaN, INF, false, true}, /* only where it is asked for */
};

static void a_number_is_close_within_the_tolerance_and_nan_never(void **state)
{
    (void)state;
    for (size_t k = 0; k < sizeof pairs / sizeof pairs[0]; k++) {
        double got = pairs[k].got, want = pairs[k].want;

        if (is_close(got, want, pairs[k].tolerance) != pairs[k].close ||
            is_close_or_nan(got, want, pairs[k].tolerance) != pairs[k].or_nan)
            fail_msg("%g and %g within %g", got, want, pairs[k].tolerance);
    }
}

/* The asserts themselves: the first `passing` pass, and each other one has to
 * fail, and to say what it says here. */
static const float y[] = {0.5f, 0.25f, NAN, 0.125f};

static void asserts(size_t which)
{
    const double with_nan[] = {0.5, 0.25, NaN, 0.125};
    const double without[] = {0.5, 0.25, 0.5, 0.125};

    switch (which) {
    case 0:
        assert_close(2.25f, 2.0, 0.25);
        break;
    case 1:
        assert_all_close(y, ((double[]){0.5, 0.26}), 2, 0.02);
        break;
    case 2:
        assert_all_close_or_nan(y, with_nan, 4, 0.0);
        break;
    case 3:
        assert_all_relative(y, ((double[]){0.501, 0.2505}), 2, 2.1e-3, 0.0);
        break;
    case 4:
        assert_all_close(y, NULL, 0, 0.0);
        break;
    case 5:
        assert_close(NaN, 1.0, INF);
        break;
    case 6:
        assert_close(2.5f, 2.0, 0.25);
        break;
    case 7:
        assert_all_close(y, ((double[]){0.75, 0.25}), 2, 0.1);
        break;
    case 8:
        assert_all_close(y, ((double[]){0.5, 0.75}), 2, 0.1);
        break;
    case 9:
        assert_all_close(y, without, 4, 1.0);
        break;
    case 10:
        assert_all_close_or_nan(y, without, 4, 1.0);
        break;
    case 11:
        assert_all_relative(y, ((double[]){0.5, 0.2501}), 2, 1e-6, 0.0);
    }
}

static const char *const says[] = {
    [6] = "2.5f: want 2, got 2.5, error 0.5, tolerance 0.25",
    [9] = "y[2]: want 0.5, got nan, error nan, tolerance 1 (the first of 1 "
          "wrong among 4)",
    [11] = "y[1]: want 0.2501, got 0.25",
};

enum { PASSING = 5, ALL = 12 };

static void an_assert(void **which)
{
    asserts(*(size_t *)*which);
}

static void an_assert_fails_and_says_what_it_wants(void **state)
{
    char output[4096];

    (void)state;
    for (size_t which = 0; which < ALL; which++) {
        bool failed = test_fails(an_assert, &which, output, sizeof output);

        if (failed != (which >= PASSING) ||
            (says[which] && !strstr(output, says[which])))
            fail_msg("%zu: %s", which, output);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_close_within_the_tolerance_and_nan_never),
        cmocka_unit_test(an_assert_fails_and_says_what_it_wants),
    };

    return run_tests("assert_close", tests);
}
