/*
 * Rank 0 reads the command line and the files, as every chapter's program does;
 * its steps are orders to all ranks. Each then gets its own rows of Q, K and V
 * from rank 0, does its part, and gives its rows of the result back.
 */
#ifndef RING_ORDERS_H
#define RING_ORDERS_H

#include "06_flash2/ring/steps.h"
#include "common/step.h"

/*
 * ring_steps as the steps of rank 0's program, {0} after each list: forward,
 * those of them that keep a narrow O, and the backward pass. Their traffic is what
 * ranks send, in place of HBM's, of the rank that sends most. A backward step
 * is handed all heads of a layer, one behind the other.
 */
void steps_on_ranks(attention_step own[], attention_step narrow[],
                    attention_step back[]);

/* What came of the last order to that step. */
typedef struct {
    size_t sent_formula, sent; /* bytes, of the rank that sends most */
    size_t held;               /* floats, of the rank that holds most */
    bool differs; /* sends or holds some rank what its formula does not say? */
    double balance; /* the average rank's pairs over the most */
    double seconds; /* of the slowest rank, once all have their rows */
} outcome;

const outcome *outcome_of(const char *step);

/* Bytes that this rank has handed to MPI for others (counted.c). */
extern size_t bytes_sent;

/*
 * The main of a program on ranks: rank 0 runs it, the others obey until it is
 * over. All exit with the code that it returns.
 */
int run_ranks(int argc, char **argv, int (*program)(int argc, char **argv));

#endif
