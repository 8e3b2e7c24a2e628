/*
 * One step, run and measured: what it sent, what it held, how evenly the work
 * lay, how wrong it is, how long it took.
 */
#ifndef RING_MEASURE_H
#define RING_MEASURE_H

#include "06_flash2/ring/program/source.h"
#include "06_flash2/ring/steps.h"

typedef struct {
    size_t sent_formula, sent; /* bytes, of the rank that sends most */
    size_t held_formula, held; /* floats, of the rank that holds most */
    bool equal;                /* are both of them what the formulas say? */
    size_t read;               /* bytes of files, before the error is sought */
    double balance;            /* the average rank's pairs over the most */
    double error;              /* against float64 */
    double seconds;            /* of the slowest rank */
    double interface; /* bytes that its network card sent, or -1: unknown */
} outcome;

/* Does a rank of P hold more than MPI can count? Then a line; else NULL. */
const char *too_large(const ring_step *step, const ring_problem *p, size_t P,
                      char line[200]);

/* Why not, if P ranks can't run that step on that problem: a line; else NULL. */
const char *refused(const ring_step *step, const ring_problem *p, size_t P,
                    char line[200]);

/*
 * Sets up the rank, reads its rows, runs the step, looks at what came out. All
 * ranks call it. Returns 0, or not 0 on all after one line of one. The rank
 * holds the result until rank_end, which is due in any case.
 */
int measure(rank *me, MPI_Comm comm, const ring_problem *p,
            const ring_step *step, const source *s, outcome *found);
void rank_end(rank *me);

/*
 * The way back after ring or zigzag: measures that step, and then what it takes
 * to bring dQ, dK and dV home, from random rows of dO; neither its time nor its
 * error. The rank holds them until rank_end.
 */
int measure_backward(rank *me, MPI_Comm comm, const ring_problem *p,
                     const ring_step *step, const source *s, outcome *found);

/* Those rows, as Q's of a source. */
source rows_of_dO(const source *s, const ring_problem *p);

#endif
