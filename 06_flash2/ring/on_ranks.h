/*
 * Runs a step of ring/ on one problem. Every rank has the whole problem in
 * memory, but computes with a copy of the rows that it owns.
 */
#ifndef RING_ON_RANKS_H
#define RING_ON_RANKS_H

#include "06_flash2/ring/steps.h"
#include "common/lesson/attention/measure_backward.h"

/* The results of a step over all ranks. They are equal on every rank. */
typedef struct {
    size_t sent, formula; /* bytes of the rank that sends most */
    size_t held;          /* floats in memory of the rank that has most */
    bool differs;         /* bytes or floats differ from a formula on a rank */
    double balance; /* average pairs per rank / pairs of the busiest rank */
    double seconds; /* time of the slowest rank */
    double error;   /* relative error of O, or of the worst gradient */
} outcome;

/* Bytes that this rank has sent to other ranks (counted.c). */
extern size_t bytes_sent;

/* flash2 computes O and L for the backward pass and for the tests. */
extern const attention_step ring_flash2;

bool is_backward(const ring_step *step);

/*
 * Runs the step on all ranks, each with the same problem. A backward step needs
 * O and L in b->forward, and dO in b. If `same` is not NULL, sets *same to true
 * if O and L of all ranks have the bits of those in b->forward. Returns the
 * same value on all ranks: 0, 1 if a rank is out of memory, or 2 if the problem
 * is too large for MPI's counts. If not 0, rank 0 prints one line on stderr.
 */
int run_on_ranks(const ring_step *step, backward_problem *b, outcome *o,
                 bool *same);

#endif
