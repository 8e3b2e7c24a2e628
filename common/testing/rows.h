/*
 * Tests as rows of a table, for a function that is tested on many inputs:
 *
 *     const entry entries[] = {
 *         {"equal_scores_add_ln_n", "2 2 2 2", "n scores x: x + ln n"},
 *         {"big_scores_do_not_overflow", "89 0", "e^89 overflows fp32"},
 *         {SAME_TEST, "0 1e30", "e^1e30 overflows fp64"},
 *     };
 *
 *     return run_table("logsumexp", check, entries);
 *
 * Each row is a test with that name. A row with SAME_TEST belongs to the test
 * above it. A test passes if check passes for all of its rows.
 */
#ifndef COMMON_ROWS_H
#define COMMON_ROWS_H

#include "common/testing/run_tests.h"

#define SAME_TEST NULL

typedef void row_check(const void *row);

#define run_table(name, check, rows)                                           \
    run_rows(name, check, rows, sizeof(rows) / sizeof((rows)[0]),              \
             sizeof((rows)[0]))

/* Runs n rows of `bytes` bytes. Each row begins with a const char *. */
int run_rows(const char *name, row_check *check, const void *rows, size_t n,
             size_t bytes);

/* Returns the n numbers of a text, such as "1 -inf 2.5". The array has exactly
 * this size, and is valid until the next row. */
float *numbers(const char *text, size_t *n);

/* Like numbers(). If VARIANT is set, adds the same number to all numbers, and
 * repeats a list of two or more numbers. */
float *varied_scores(const char *text, size_t *n);

#endif
