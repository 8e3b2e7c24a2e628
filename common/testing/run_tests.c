/* Runs tests by CMocka, each with its own time limit (run_tests.h). */
#include "common/testing/run_tests.h"

#include <sys/resource.h>
#include <unistd.h>

static rlim_t seconds_a_test;

/* Allows seconds_a_test of processor time, and 4 times that of real time. */
static void limit_test(void)
{
    struct rlimit limit;
    struct rusage used;

    if (seconds_a_test == RLIM_INFINITY || getrlimit(RLIMIT_CPU, &limit) ||
        getrusage(RUSAGE_SELF, &used))
        return;
    limit.rlim_cur = seconds_a_test + 1 + (rlim_t)used.ru_utime.tv_sec +
                     (rlim_t)used.ru_stime.tv_sec;
    setrlimit(RLIMIT_CPU, &limit);
    /* Also limits real time: a test that sleeps uses no processor time. */
    alarm((unsigned)(4 * seconds_a_test));
}

static int begin_test(void **state)
{
    const struct CMUnitTest *test = *state;

    limit_test();
    if (getenv("TEST_BEGINS")) /* identifies a test that crashes */
        printf("# begin %s\n", test->name);
    *state = test->initial_state;
    return test->setup_func ? test->setup_func(state) : 0;
}

amount quantity(size_t n, const char *one, const char *many)
{
    amount a;

    snprintf(a.text, sizeof a.text, "%zu %s", n, n == 1 ? one : many);
    return a;
}

void needs_64_bits(void)
{
    if (sizeof(size_t) < 8)
        skip();
}

size_t one_in(size_t n)
{
    return getenv("TEST_LONG") ? 1 : n;
}

bool is_short(void)
{
    return getenv("TEST_SHORT");
}

enum { OWN_TESTS = 100 };

static struct CMUnitTest all[MOST_TESTS + OWN_TESTS], own[OWN_TESTS];
static char names[MOST_TESTS][120];
static size_t named, tests;

static void no_room(size_t n, int most, const char *what)
{
    if (n < (size_t)most)
        return;
    fprintf(stderr, "run_tests: more than %d %s\n", most, what);
    exit(1);
}

void add_named_test(const char *step, const char *name, CMUnitTestFunction test,
                    void *state)
{
    no_room(named, MOST_TESTS, "tests");
    snprintf(names[named], sizeof names[0], "%s%s%s", step ? step : "",
             step ? ": " : "", name);
    all[named] = (struct CMUnitTest){
        .name = names[named], .test_func = test, .initial_state = state};
    named++;
}

void add_test(struct CMUnitTest test)
{
    no_room(tests, OWN_TESTS, "tests");
    own[tests++] = test;
}

int run_tests(const char *name)
{
    static struct CMUnitTest limited[MOST_TESTS + OWN_TESTS];
    const char *only = getenv("TEST_ONLY");
    struct rlimit limit;
    size_t n = named + tests;

    if (n == 0 || getrlimit(RLIMIT_CPU, &limit) != 0)
        return 1;            /* a program without tests fails */
    if (seconds_a_test == 0) /* limit_test changes the limit later */
        seconds_a_test = limit.rlim_cur;
    for (size_t k = 0; k < n; k++) {
        if (k >= named)
            all[k] = own[k - named];
        limited[k] = all[k];
        limited[k].setup_func = begin_test;
        limited[k].initial_state = &all[k];
    }
    named = tests = 0;

    /* Buffers only single lines, so that a crash does not lose earlier
     * lines. */
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    if (only && *only == '!')
        cmocka_set_skip_filter(only + 1);
    else if (only && *only)
        cmocka_set_test_filter(only);
    /* CMocka returns the number of failures; 256 would become exit code 0. */
    return _cmocka_run_group_tests(name, limited, n, NULL, NULL) ? 1 : 0;
}
