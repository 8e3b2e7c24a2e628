/*
 * The claims that every softmax keeps, as tests named "step: claim". A chapter
 * hands in its steps; a step that takes the row in blocks stands there with
 * several:
 *
 *     const softmax_asked steps[] = {
 *         {"safe_softmax", {safe_softmax, 3, 64}, false}, {0}};
 *
 *     return run_softmax_tests("safe_softmax", steps, tests, n);
 *
 * Tolerances: softmax_check.h.
 */
#ifndef COMMON_SOFTMAX_CONTRACT_H
#define COMMON_SOFTMAX_CONTRACT_H

#include <stdbool.h>

#include "common/testing/run_tests.h"
#include "common/testing/softmax_check.h"

typedef struct {
    const char *name;
    softmax_subject is;
    bool small_alone; /* it is naive: e^x may not leave fp32 */
} softmax_asked;

/* Every claim for every step of a list that ends with a {0}, then n tests of
 * the chapter's own. Gives main's exit code. */
int run_softmax_tests(const char *name, const softmax_asked steps[],
                      const struct CMUnitTest own[], size_t n);

#endif
