/*
 * For tests of tests: runs a test that ought to fail, where its failure does
 * no harm.
 */
#ifndef COMMON_EXPECT_FAILURE_H
#define COMMON_EXPECT_FAILURE_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Runs test(&state) in a child process and gives whether it failed. What it
 * printed, on stdout and stderr, is put in output as text (cut at capacity).
 */
bool test_fails(void (*test)(void **), void *state, char output[],
                size_t capacity);

#endif
