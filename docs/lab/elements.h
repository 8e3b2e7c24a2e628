/*
 * The HBM elements that a step is counted to move while it runs.
 */
#ifndef LAB_ELEMENTS_H
#define LAB_ELEMENTS_H

#include "common/problem/heads.h"

/* With M elements on chip; 0 after one line on stderr: it failed. */
size_t elements_moved(const layer *p, const attention_step *step, size_t M);

#endif
