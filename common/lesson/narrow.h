/*
 * Q, K and V of a problem in 16 bits, for the steps that read these.
 */
#ifndef COMMON_LESSON_NARROW_H
#define COMMON_LESSON_NARROW_H

#include "common/lesson/problem.h"

typedef struct {
    uint16_t *bits; /* of V, K and Q; the caller frees it */
    size_t rounded; /* numbers that rounding changed */
} narrow_copy;

/* Rounds K and V, and Q if queries is true, to the type, and sets the 16-bit
 * copies of their arrays, which are used until the problem's last run. Returns
 * 0, or 1 after one line on stderr. */
int problem_narrow(problem *p, precision type, bool queries, narrow_copy *n);

#endif
