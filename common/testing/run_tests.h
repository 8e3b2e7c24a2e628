/*
 * Tests of a test program. Their names are claims:
 *
 *     TEST(big_logits_do_not_overflow)
 *     {
 *         assert_close(...);
 *     }
 *
 * Tests run in the order of the source. main.c is the usual main. This header
 * includes CMocka and the headers that CMocka needs.
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

/* CMocka passes each test a state, which most tests do not use. */
#pragma GCC diagnostic ignored "-Wunused-parameter"

#undef run_tests /* CMocka's deprecated macro */

/* A test; a test with setup and teardown; and a test whose function is in
 * another file of the program. Each test is added to the list before main
 * starts. */
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

/* Adds a claim of a contract, as a test named "step: claim", or "claim" without
 * a step. At most MOST_CLAIMS; they run before the program's own tests. */
enum { MOST_CLAIMS = 1000 };
void add_claim(const char *step, const char *claim, CMUnitTestFunction ask,
               void *state);

/* Runs the added tests and clears the list; returns main's exit code. TEST_ONLY
 * in the environment is a pattern with * and ? that selects tests by name.
 * After a ! it selects all other tests. `make test-03 ONLY='big_*'` sets it.
 * Each test may use the processor time of the program's limit (tools/limit.sh),
 * and four times that in real time. */
int run_tests(const char *name);

/* Skips the rest of the test if size_t has 32 bits. */
void needs_64_bits(void);

#endif
