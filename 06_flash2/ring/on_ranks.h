/*
 * A step of ring/ on one problem: every rank has the whole problem, takes the
 * rows that it owns, and from then on receives everything else in messages.
 */
#ifndef RING_ON_RANKS_H
#define RING_ON_RANKS_H

#include "06_flash2/ring/steps.h"
#include "common/lesson/measure_backward.h"

/* What a step cost, over all ranks; the same on every rank. */
typedef struct {
    size_t sent, formula; /* bytes, of the rank that sends most */
    size_t held;          /* floats, of the rank that holds most */
    bool differs;   /* true if a rank sent or held not what its formula gives */
    double balance; /* pairs of the average rank over those of the busiest */
    double seconds; /* of the slowest rank */
    double error;   /* relative, of O or the worst gradient, against float64 */
} outcome;

/* Bytes that this rank has passed to MPI for others (counted.c). */
extern size_t bytes_sent;

/* flash2, which computes O and L for the backward pass and for the tests. */
extern const attention_step ring_flash2;

/* True for a step of the backward pass. */
bool goes_back(const ring_step *step);

/*
 * Runs the step on all ranks, each with the same problem; a backward step needs
 * O and L in b->forward and dO in b. Returns 0; 1 without memory, or 2 for a
 * problem that MPI cannot count, on all ranks, after one line on stderr of rank
 * 0. If same is not NULL, sets *same to whether this rank's rows of O and L
 * have the bits of b->forward.O and L.
 */
int run_on_ranks(const ring_step *step, backward_problem *b, outcome *o,
                 bool *same);

#endif
