/*
 * What every test program is made of: tests, whose names are claims,
 *
 *     TEST(big_logits_do_not_overflow)
 *     {
 *         assert_close(...);
 *     }
 *
 * which run in the order in which they stand. A main is only needed where more is to
 * be done (main.c). It brings in CMocka with the headers that CMocka asks for.
 */
#ifndef COMMON_RUN_TESTS_H
#define COMMON_RUN_TESTS_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

/* CMocka hands each test a state, which hardly any of them needs. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#undef run_tests /* an older way of CMocka's, which nobody here uses */

/* A test; one with a setup and a teardown; and one that is a function of another
 * file, which the program has, too. A test that is written is one that runs: each is
 * added to the list before main begins. */
#define TEST(claim) TEST_BETWEEN(claim, NULL, NULL)
#define TEST_BETWEEN(claim, setup, teardown)                                   \
    static void claim(void **state);                                           \
    ADDS(claim, setup, teardown);                                              \
    static void claim(void **state)
#define ALSO(claim) ADDS(claim, NULL, NULL)
#define ADDS(claim, setup, teardown)                                           \
    static void __attribute__((constructor)) add_##claim(void)                 \
    {                                                                          \
        ADD_TEST(claim, setup, teardown);                                      \
    }                                                                          \
    _Static_assert(sizeof #claim > 1, "it has a name")
#define ADD_TEST(claim, setup, teardown)                                       \
    add_test((struct CMUnitTest){#claim, claim, setup, teardown, NULL})
void add_test(struct CMUnitTest test);

/* The same of a claim of a contract, as a test named "step: claim", or "claim"
 * alone: these, at most so many, run before the program's own. */
enum { MOST_CLAIMS = 1000 };
void add_claim(const char *step, const char *claim, CMUnitTestFunction ask,
               void *state);

/*
 * Runs what was added, and forgets it; gives main's exit code. The environment's
 * TEST_ONLY picks tests by name, with * and ?: `make test-03 ONLY='big_*'` sets it;
 * with a ! before the name, all others. The processor time that the program was
 * given (tools/limit.sh) is each test's, and four times that by the clock, for one
 * that sleeps.
 */
int run_tests(const char *name);

/* First in a test with numbers for which 32 bits are too few: there it ends,
 * and counts as skipped. */
void needs_64_bits(void);

#endif
