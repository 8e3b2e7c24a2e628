/*
 * The comparison that all other tests stand on: what must fail does fail.
 */
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

#include <math.h>
#include <sys/wait.h>
#include <unistd.h>

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

/* --- What must fail ------------------------------------------------------- */

static const float y[] = {0.5f, 0.25f, NAN, 0.125f};
static const double want[] = {0.5, 0.25, 0.5, 0.125};

static void one_number(void **state)
{
    (void)state;
    assert_close(NaN, 1.0, INF);
}

static void a_nan_among_numbers(void **state)
{
    (void)state;
    assert_all_close(y, want, 4, 1.0);
}

static void the_last_of_two(void **state)
{
    (void)state;
    assert_all_close(y, ((double[]){0.5, 0.2501}), 2, 1e-6);
}

/* A test that fails jumps back into CMocka's runner: here into a child's. */
static void an_assert_fails_unless_all_are_close(void **state)
{
    const struct CMUnitTest asserts[] = {
        cmocka_unit_test(one_number),
        cmocka_unit_test(a_nan_among_numbers),
        cmocka_unit_test(the_last_of_two),
    };
    pid_t child;
    int failed;

    (void)state;
    fflush(stdout); /* or the child would print it again */
    child = fork();
    if (child == 0) {
        cmocka_set_test_filter(NULL);
        if (!freopen("/dev/null", "w", stdout) || dup2(1, 2) != 2)
            _exit(0);
        _exit(cmocka_run_group_tests(asserts, NULL, NULL));
    }
    assert_int_equal(waitpid(child, &failed, 0), child);
    assert_int_equal(WEXITSTATUS(failed), 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_number_is_close_within_the_tolerance_and_nan_never),
        cmocka_unit_test(an_assert_fails_unless_all_are_close),
    };

    return run_tests("assert_close", tests);
}
