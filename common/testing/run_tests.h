/*
 * The main of every test program: `return run_tests("online_softmax", tests);`
 * It brings in CMocka with the headers that CMocka asks for.
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
/* tests is an array of struct CMUnitTest; gives main's exit code. */
#define run_tests(name, tests)                                                 \
    run_test_array(name, tests, sizeof(tests) / sizeof((tests)[0]))

/* First in a test with numbers for which 32 bits are too few: there it ends,
 * and counts as skipped. */
void needs_64_bits(void);

/*
 * The same for n tests behind a pointer. The environment's TEST_ONLY picks
 * tests by name, with * and ?: `make test-03 ONLY='big_*'` sets it; with a !
 * before the name, all others. The processor time that the program was given
 * (tools/limit.sh) is each test's, and four times that by the clock, for one
 * that sleeps.
 */
int run_test_array(const char *name, const struct CMUnitTest tests[], size_t n);

/* A contract adds its claims, at most so many, as tests named "step: claim", or
 * "claim" alone; run_contract runs them, and then n tests of the program's own. */
enum { MOST_CLAIMS = 1000 };
void add_claim(const char *step, const char *claim, CMUnitTestFunction ask,
               void *state);
int run_contract(const char *name, const struct CMUnitTest own[], size_t n);

#endif
