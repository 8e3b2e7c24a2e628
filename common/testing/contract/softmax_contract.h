/*
 * Tests that every softmax must pass. Their names are "STEP: NAME". A chapter
 * passes the list of its steps. A step that reads the row in blocks has one
 * entry for each block size:
 *
 *     const softmax_entry steps[] = {
 *         {"safe_softmax", {safe_softmax, 3, 64}, false}, {0}};
 *
 *     return run_softmax_tests("safe_softmax", steps);
 *
 * The tolerance of a weight y_i is
 *
 *     (max(1e-6, n 2^-25) + 2^-24 min(m - x_i, 104)) max(y_i, FLT_MIN)
 *
 * The first term is the cost of n roundings of a sum. The second is the change
 * of e^{x_i - m} when x_i - m is rounded. The error is relative to y_i, except
 * for subnormal weights, which have fewer digits.
 */
#ifndef COMMON_SOFTMAX_CONTRACT_H
#define COMMON_SOFTMAX_CONTRACT_H

#include <stdbool.h>

#include "common/softmax_row.h"
#include "common/testing/run_tests.h"

typedef struct {
    softmax_fn *run;
    size_t passes; /* expected number of elements read, divided by n */
    size_t block;
} softmax_subject;

/*
 * Runs the subject on n scores. The weights are stored in the type. x and y
 * have their own malloc of exactly n floats, so that a sanitizer detects an
 * overrun. y is first filled with NaN, so that a missing weight is detected.
 */
softmax_row softmax_of(const softmax_subject *s, const float *x, size_t n,
                       precision type);

void softmax_free(softmax_row *r);

typedef struct {
    const char *name;
    softmax_subject subject;
    bool is_naive; /* skip tests that naive_softmax does not satisfy */
} softmax_entry;

/* Runs the tests for every step of a list that ends with a {0}, then the
 * chapter's own tests. Returns main's exit code. */
int run_softmax_tests(const char *name, const softmax_entry steps[]);

#endif
