/* Rounds Q, K and V of a problem to 16 bits, for steps with 16-bit inputs. */
#ifndef COMMON_LESSON_NARROW_H
#define COMMON_LESSON_NARROW_H

#include "common/lesson/problem.h"

typedef struct {
    uint16_t *bits; /* elements of V, K and Q; freed by the caller */
    size_t rounded; /* number of elements that rounding changed */
} narrow_copy;

/* Rounds K and V to the type, and also Q if queries is true. Sets type and
 * narrow of these arrays in the problem. n->bits must exist until the problem's
 * last run. Returns 0, or 1 after one line on stderr. */
int problem_narrow(problem *p, precision type, bool queries, narrow_copy *n);

#endif
