/*
 * Defines and runs the tests of a program. The name of a test is what it
 * checks:
 *
 *     TEST(big_logits_do_not_overflow)
 *     {
 *         assert_close(...);
 *     }
 *
 * Tests run in the order of the source. main.c has a main function that runs
 * them.
 */
#ifndef COMMON_RUN_TESTS_H
#define COMMON_RUN_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* CMocka passes each test a state, which most tests do not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#undef run_tests /* CMocka's deprecated macro */

/* TEST begins a test. TEST_BETWEEN begins a test with setup and teardown. ALSO
 * adds a test whose function is in another file of the program. Each test is
 * added to the list before main starts. */
#define TEST(name) TEST_BETWEEN(name, NULL, NULL)
#define TEST_BETWEEN(name, setup, teardown)                                    \
    static void name(void **state);                                            \
    ADDS(name, setup, teardown);                                               \
    static void name(void **state)
#define ALSO(name) ADDS(name, NULL, NULL)
#define ADDS(name, setup, teardown)                                            \
    static void __attribute__((constructor)) add_##name(void)                  \
    {                                                                          \
        ADD_TEST(name, setup, teardown);                                       \
    }                                                                          \
    _Static_assert(sizeof #name > 1, "the test has a name")
#define ADD_TEST(name, setup, teardown)                                        \
    add_test((struct CMUnitTest){#name, name, setup, teardown, NULL})
void add_test(struct CMUnitTest test);

/* Adds a test named "STEP: NAME", or "NAME" if step is NULL. It runs before the
 * tests of TEST. A program can add MOST_TESTS of these tests. */
enum { MOST_TESTS = 1000 };
void add_named_test(const char *step, const char *name, CMUnitTestFunction test,
                    void *state);

/* Runs the added tests and clears the list. Returns main's exit code. The
 * variable TEST_ONLY in the environment selects tests by name: it is a pattern
 * with * and ?. If it begins with !, all other tests run. `make test-03
 * ONLY='big_*'` sets TEST_ONLY. Each test may use the processor time of the
 * program's limit (tools/limit.sh), and four times that in real time. */
int run_tests(const char *name);

/* Returns "1 key" or "7 keys" for a message. */
typedef struct {
    char text[40];
} amount;
amount quantity(size_t n, const char *one, const char *many);

/* Skips the rest of the test if size_t has 32 bits. */
void needs_64_bits(void);

/* Returns n, or 1 if the environment sets TEST_LONG. A slow test tries every
 * n-th of its problems, and `make check` also tries all of them. */
size_t one_in(size_t n);

/* True if the environment sets TEST_SHORT, as in `make valgrind QUICK=1`. */
bool is_short(void);

#endif
