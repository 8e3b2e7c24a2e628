/*
 * The command line of ring/'s program, the same on every rank.
 */
#ifndef RING_ASKED_H
#define RING_ASKED_H

#include "06_flash2/ring/program/source.h"
#include "06_flash2/ring/steps.h"
#include "common/program/options.h"

enum {
    ASK_LIST,
    ASK_BACKWARD,
    ASK_STEP,
    ASK_Q,
    ASK_K,
    ASK_V,
    ASK_OUT,
    ASK_LSE,
    ASK_SCALE,
    ASK_CAUSAL,
    ASK_CAUSAL_OFFSET,
    ASK_PARTIALS,
    ASK_HEADS,
    ASK_KV_HEADS,
    ASK_N,
    ASK_NK,
    ASK_D,
    ASK_DV,
    ASK_SEED,
    ASK_CSV,
    ASKED
};

/*
 * Reads the command line on all ranks; rank 0 alone says what is wrong with it.
 * True: go on. False: the program is over with that status, on all.
 */
bool ask(MPI_Comm comm, int argc, char **argv, option o[ASKED + 1],
         int *status);

/* Opens the files, bundled or asked for, or makes random rows; the problem is
 * what is asked of them. Returns 0, or the exit code on all ranks. */
int ask_source(MPI_Comm comm, const option o[], source *s, ring_problem *p);

/* The step asked for; without --step the ring. */
const ring_step *ask_step(const option o[]);

#endif
