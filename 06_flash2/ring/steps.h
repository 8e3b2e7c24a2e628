/*
 * Chapter 06 on many machines: five ways for P ranks to attend, and what each
 * of them sends and holds by formula.
 */
#ifndef RING_STEPS_H
#define RING_STEPS_H

#include "06_flash2/ring/ranks.h"

/*
 * From the rank's own Q, K, V to its own rows of the result; K and V are then
 * no longer its own. Called by all ranks. Returns 0, or 1 on all ranks after
 * one line on stderr if there was no memory.
 */
typedef int ring_fn(rank *me);
ring_fn gather, ring, zigzag, ulysses, tree;

typedef struct {
    const char *name, *idea;
    ring_fn *run;
    owner_rule *owns;
    bool all_queries; /* every rank holds all of Q, and of the result */
    bool needs_heads; /* P has to divide Hk */
    /* Floats that rank r sends to others, and floats of its arrays. */
    size_t (*sent)(const ring_problem *p, size_t P, size_t r);
    size_t (*held)(const ring_problem *p, size_t P, size_t r);
} ring_step;

extern const ring_step ring_steps[]; /* a name of NULL ends them */

/*
 * The way back, from dO, the rank's own Q, K, V and the result of ring or
 * zigzag: dQ, dK and dV of its own rows. K and V are then no longer its own.
 */
ring_fn ring_backward;
/* Floats that rank r sends there, and floats of its arrays. */
size_t sent_backward(const ring_problem *p, owner_rule *owns, size_t P,
                     size_t r);
size_t held_backward(const ring_problem *p, owner_rule *owns, size_t P,
                     size_t r);

/* The rows of `rows` that rank r of tree merges. */
chunk merged_by(size_t rows, size_t P, size_t r);

/*
 * Of P ranks that wait for the slowest, which share does the average one work?
 * By formula, for a causal N x N problem, where P divides N: P (N + 1) / ((2P -
 * 1) N + P) for neighbouring rows.
 */
double balance_of_neighbours(size_t N, size_t P);

#endif
