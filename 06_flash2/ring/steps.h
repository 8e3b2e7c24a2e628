/*
 * Chapter 06 on many machines: three algorithms for P ranks, their backward
 * pass, and formulas for what a rank sends and holds.
 */
#ifndef RING_STEPS_H
#define RING_STEPS_H

#include "06_flash2/ring/ranks.h"

/*
 * Computes the rank's rows of the result from its own Q, K, V, and overwrites
 * K and V. Called by all ranks. Returns 0, or 1 on all ranks without memory
 * (me->hbm.message).
 */
typedef int ring_fn(rank *me);
ring_fn gather, ring, zigzag;
/* The backward pass: computes dQ, dK and dV of the rank's rows from dO, its own
 * Q, K, V and the result (-, L, O). Owners: neighbours or folded. */
ring_fn ring_backward;

/* Returns the floats that rank r sends to others, or that its arrays hold. */
typedef size_t floats_fn(const ring_problem *p, owner_rule *owns, size_t P,
                         size_t r);

typedef struct {
    const char *name, *idea;
    ring_fn *run;
    owner_rule *owns;
    floats_fn *sent, *held;
} ring_step;

/* The steps, in this order; a name of NULL ends them. */
enum { GATHER, RING, ZIGZAG, RING_BACKWARD };
extern const ring_step ring_steps[];

#endif
