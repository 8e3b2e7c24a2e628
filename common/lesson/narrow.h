/*
 * K and V of a problem in 16 bits, for the steps that read these.
 */
#ifndef COMMON_LESSON_NARROW_H
#define COMMON_LESSON_NARROW_H

#include "common/lesson/problem.h"

/* Rounds K and V to the type, and sets the 16-bit copies of their arrays. The
 * caller frees *narrow after the problem's last run, and also after a failure.
 * Returns 0, or 1 after one line on stderr. */
int problem_narrow(problem *p, precision type, uint16_t **narrow);

#endif
