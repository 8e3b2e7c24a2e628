/*
 * Claims as rows of a table, for a function that is tested on many inputs:
 *
 *     const entry entries[] = {
 *         {"equal_scores_add_ln_n", "2 2 2 2", "n scores have x + ln n"},
 *         {"big_scores_do_not_overflow", "89 0", "e^89 overflows fp32"},
 *         {SAME_CLAIM, "0 1e30", "e^1e30 overflows anything"},
 *     };
 *
 *     return run_claims("logsumexp", check, entries);
 *
 * Each claim is a test with that name. It passes if check passes for all of its
 * rows. Tests that are functions (run_tests.h) run after the claims.
 */
#ifndef COMMON_CLAIMS_H
#define COMMON_CLAIMS_H

#include "common/testing/run_tests.h"

#define SAME_CLAIM NULL

/* Fails the running test unless the row holds. */
typedef void row_check(const void *row);

#define run_claims(name, check, rows)                                          \
    run_rows(name, check, rows, sizeof(rows) / sizeof((rows)[0]),              \
             sizeof((rows)[0]))

/* Runs n rows of so many bytes, each of which begins with a const char *. */
int run_rows(const char *name, row_check *check, const void *rows, size_t n,
             size_t bytes);

/* Returns the numbers of a row's text, such as "1 -inf 2.5", in a malloc of
 * exactly their size, valid until the next row. */
float *numbers(const char *text, size_t *n);

/* Returns the same numbers as scores: with VARIANT all are larger by the same
 * amount, and a row of two or more is repeated. */
float *varied_scores(const char *text, size_t *n);

#endif
