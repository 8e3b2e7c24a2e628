/* Chapter 06 on many machines. */
#ifndef RING_STEPS_H
#define RING_STEPS_H

#include "06_flash2/ring/ranks.h"

/*
 * Computes the rank's rows of me->result. May overwrite me->K and me->V. All
 * ranks must call it. Returns 0 on all ranks, or 1 on all ranks if one is out
 * of memory (me->hbm.message).
 */
typedef int ring_fn(rank *me);
ring_fn gather, ring, zigzag;
/* Computes dQ, dK and dV of the rank's rows. me->dO, and L and O in me->result
 * are inputs. me->owns may be any rule. */
ring_fn ring_backward;

/* Returns the number of floats that rank r sends or stores. */
typedef size_t floats_fn(const ring_problem *p, owner_rule *owns, size_t P,
                         size_t r);

typedef struct {
    const char *name, *idea;
    ring_fn *run;
    owner_rule *owns;
    floats_fn *sent, *held;
} ring_step;

/* Indices of ring_steps, which ends with a name of NULL. */
enum { GATHER, RING, ZIGZAG, RING_BACKWARD };
extern const ring_step ring_steps[];

#endif
