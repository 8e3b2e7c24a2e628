/*
 * The command line of `./run --backward`.
 */
#ifndef COMMON_BACKWARD_OPTIONS_H
#define COMMON_BACKWARD_OPTIONS_H

#include "common/program/backward_chapter.h"
#include "common/program/options.h"

enum {
    BACK_BACKWARD,
    BACK_LIST,
    BACK_TRACE,
    BACK_STEP,
    BACK_Q,
    BACK_K,
    BACK_V,
    BACK_MASK,
    BACK_GRAD_OUT,
    BACK_GRAD_Q,
    BACK_GRAD_K,
    BACK_GRAD_V,
    BACK_SCALE,
    BACK_CAUSAL,
    BACK_CAUSAL_OFFSET,
    BACK_WINDOW,
    BACK_ALIBI,
    BACK_SOFTCAP,
    BACK_BR,
    BACK_BC,
    BACK_SRAM,
    BACK_BATCH,
    BACK_HEADS,
    BACK_KV_HEADS,
    BACK_N,
    BACK_NK,
    BACK_D,
    BACK_DV,
    BACK_SEED,
    BACK_SWEEP,
    BACK_CSV,
    BACK_OPTIONS
};

typedef enum { BACK_SWEEP_N, BACK_SWEEP_D, BACK_SWEEP_SRAM } backward_sweep;

typedef struct {
    const backward_chapter *chapter;
    const backward_step *steps[MOST_BACKWARD_STEPS + 1]; /* NULL ends */
    const char *names[MOST_BACKWARD_STEPS + 1];
    option o[BACK_OPTIONS + 1];
    bool bare; /* --backward alone, or with --csv alone */
} backward_request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool backward_read(backward_request *r, const backward_chapter *chapter,
                   int argc, char **argv, int *status);

/* Elements on chip: --sram, or unbounded if the tiles are given. */
size_t backward_M(const backward_request *r);

/* Sizes of a random problem. */
random_sizes backward_sizes(const backward_request *r);

/* Is the problem a random one? */
bool backward_is_random(const backward_request *r);

/* Are gradients to be written to files? */
bool backward_writes(const backward_request *r);

/*
 * The problem asked for: from files, random (of those sizes, if sizes is not
 * NULL), or the bundled one, with its mask, scale, limit, softcap and tiles.
 * Returns an exit code; backward_free frees, in any case.
 */
int backward_problem(const backward_request *r, const random_sizes *sizes,
                     backward_layer *b);

#endif
