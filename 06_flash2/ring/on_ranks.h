/*
 * Runs a step of ring/ on one problem. Every rank has the whole problem, copies
 * the rows that it owns, and then receives all other data in messages.
 */
#ifndef RING_ON_RANKS_H
#define RING_ON_RANKS_H

#include "06_flash2/ring/steps.h"
#include "common/lesson/measure_backward.h"

/* The costs of a step over all ranks; the same on every rank. */
typedef struct {
    size_t sent, formula; /* bytes of the rank that sends most */
    size_t held;          /* floats of the rank that holds most */
    bool differs;         /* true if a rank's counts differ from the formula */
    double balance; /* pairs of the average rank / pairs of the busiest rank */
    double seconds; /* of the slowest rank */
    double error;   /* relative, of O or the worst gradient, against float64 */
} outcome;

/* Bytes that this rank has passed to MPI for others (counted.c). */
extern size_t bytes_sent;

/* flash2: computes O and L for the backward pass and for the tests. */
extern const attention_step ring_flash2;

/* True if the step is of the backward pass. */
bool goes_back(const ring_step *step);

/*
 * Runs the step on all ranks, each with the same problem. A backward step needs
 * O and L in b->forward and dO in b. Returns the same on all ranks: 0; or after
 * one line on stderr of rank 0, 1 without memory, 2 if the problem is too large
 * for MPI's counts. If same is not NULL, sets *same: true if this rank's rows
 * of O and L have the bits of b->forward.O and L.
 */
int run_on_ranks(const ring_step *step, backward_problem *b, outcome *o,
                 bool *same);

#endif
