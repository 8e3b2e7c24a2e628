/*
 * The claims that every softmax keeps, as tests named "step: claim". A chapter
 * passes its steps; a step that takes the row in blocks is listed once for each
 * size:
 *
 *     const softmax_asked steps[] = {
 *         {"safe_softmax", {safe_softmax, 3, 64}, false}, {0}};
 *
 *     return run_softmax_tests("safe_softmax", steps);
 *
 * A weight y_i may be off by
 *
 *     (max(1e-6, n 2^-25) + 2^-24 |x_i - m|) max(y_i, FLT_MIN)
 *
 * The first term is n roundings of a sum, the second what rounding x_i - m
 * does to e^{x_i - m}. Relative to y_i, but where fp32 has no digits left.
 */
#ifndef COMMON_SOFTMAX_CONTRACT_H
#define COMMON_SOFTMAX_CONTRACT_H

#include <stdbool.h>

#include "common/softmax_row.h"
#include "common/testing/run_tests.h"

/* An implementation, and what it owes. */
typedef struct {
    softmax_fn *run;
    size_t passes; /* over the row: what it may read, divided by n */
    size_t block;  /* for a step that takes the row in blocks */
} softmax_subject;

/*
 * The row that the subject makes of n scores, stored as type. x and y are
 * arrays of exactly n floats, so that a sanitizer sees one step beyond, and y
 * held NaNs, so that an element left out is no lucky number.
 */
softmax_row softmax_of(const softmax_subject *s, const float *x, size_t n,
                       precision type);

void softmax_free(softmax_row *r);

typedef struct {
    const char *name;
    softmax_subject is;
    bool small_alone; /* it is naive: e^x may not leave fp32 */
} softmax_asked;

/* Every claim for every step of a list that ends with a {0}, then the chapter's
 * own tests. Gives main's exit code. */
int run_softmax_tests(const char *name, const softmax_asked steps[]);

#endif
