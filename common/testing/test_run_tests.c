/*
 * Running tests: the time that one may use is not what others have left, and
 * their own setups and states are kept.
 */
#include "common/testing/run_tests.h"

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

enum { LIMIT = 1000 };

static time_t seconds_used(void)
{
    struct rusage used;

    assert_int_equal(getrusage(RUSAGE_SELF, &used), 0);
    return used.ru_utime.tv_sec;
}

static void uses_a_second(void **state)
{
    volatile size_t turns = 0;

    (void)state;
    while (seconds_used() < 1)
        turns++;
    assert_true(turns > 0);
}

static void has_all_of_the_limit_left(void **state)
{
    struct rlimit limit;
    unsigned of_the_clock = alarm(0);

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_CPU, &limit), 0);
    assert_true(limit.rlim_cur >= LIMIT + (rlim_t)seconds_used());
    assert_in_range(of_the_clock, 4 * LIMIT - 60, 4 * LIMIT);
}

/* The exit code of these tests, in a process of their own. */
static int run(const struct CMUnitTest tests[], size_t n)
{
    int status;
    pid_t child;

    fflush(stdout);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit limit;

        unsetenv("TEST_ONLY"); /* it chose among the outer tests */
        cmocka_set_test_filter(NULL);
        if (!freopen("/dev/null", "w", stdout) || dup2(1, 2) != 2 ||
            getrlimit(RLIMIT_CPU, &limit) != 0)
            _exit(3);
        limit.rlim_cur = LIMIT;
        if (setrlimit(RLIMIT_CPU, &limit) != 0)
            _exit(3);
        _exit(run_test_array("inner", tests, n));
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void each_test_may_use_all_of_the_time(void **state)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(uses_a_second),
        cmocka_unit_test(has_all_of_the_limit_left),
    };

    (void)state;
    assert_int_equal(run(tests, 2), 0);
}

static int calls;

static int set_up(void **state)
{
    assert_string_equal(*state, "given");
    *state = "made";
    calls++;
    return 0;
}

static int tear_down(void **state)
{
    assert_string_equal(*state, "made");
    calls++;
    return 0;
}

static void sees_what_was_made(void **state)
{
    assert_string_equal(*state, "made");
    calls++;
}

static void sees_what_was_given(void **state)
{
    assert_string_equal(*state, "given");
}

static void sees_nothing(void **state)
{
    assert_null(*state);
    assert_int_equal(calls, 3);
}

static void setups_teardowns_and_states_are_kept(void **state)
{
    static char given[] = "given";
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_prestate_setup_teardown(sees_what_was_made, set_up,
                                                 tear_down, given),
        cmocka_unit_test_prestate(sees_what_was_given, given),
        cmocka_unit_test(sees_nothing),
    };

    (void)state;
    assert_int_equal(run(tests, 3), 0);
}

static void fails(void **state)
{
    (void)state;
    fail();
}

static void a_test_that_fails_fails_the_program(void **state)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fails),
    };

    (void)state;
    assert_int_equal(run(tests, 1), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_test_may_use_all_of_the_time),
        cmocka_unit_test(setups_teardowns_and_states_are_kept),
        cmocka_unit_test(a_test_that_fails_fails_the_program),
    };

    return run_tests("run_tests", tests);
}
