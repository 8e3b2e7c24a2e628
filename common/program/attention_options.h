/*
 * The command line of chapters 04 to 06.
 */
#ifndef COMMON_ATTENTION_OPTIONS_H
#define COMMON_ATTENTION_OPTIONS_H

#include "common/problem/attention_arrays.h"
#include "common/program/attention_chapter.h"
#include "common/program/options.h"

enum {
    OPT_LIST,
    OPT_TRACE,
    OPT_STEP,
    OPT_Q,
    OPT_K,
    OPT_V,
    OPT_MASK,
    OPT_OUT,
    OPT_LSE,
    OPT_SCALE,
    OPT_CAUSAL,
    OPT_CAUSAL_OFFSET,
    OPT_SOFTCAP,
    OPT_BR,
    OPT_BC,
    OPT_SRAM,
    OPT_BATCH,
    OPT_HEADS,
    OPT_KV_HEADS,
    OPT_N,
    OPT_NK,
    OPT_D,
    OPT_DV,
    OPT_SEED,
    OPT_SWEEP,
    OPT_CSV,
    OPT_DTYPE, /* the last: not every chapter has it */
    OPTIONS
};

typedef enum { SWEEP_N, SWEEP_D, SWEEP_SRAM, SWEEP_BR, SWEEPS } sweep;
extern const char *const sweep_names[]; /* as --sweep has them; NULL ends */

typedef struct {
    const attention_chapter *chapter;
    precision type;                  /* --dtype's; BF16 */
    const attention_step *own_steps; /* the chapter's own, in that type */
    const attention_step *steps[MOST_STEPS + 1]; /* before, then own, NULL */
    const char *names[MOST_STEPS + 1];           /* of the steps, NULL */
    size_t own;                                  /* where its own begin */
    option o[OPTIONS + 1];
    bool bare; /* no option at all, or none but --csv and --dtype */
} request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool request_read(request *r, const attention_chapter *chapter, int argc,
                  char **argv, int *status);

/* Refuses what does not go together: 2 after one line on stderr, or 0. */
int request_check(const request *r);

/* The index of --step, or else of the chapter's reading step. */
size_t request_step(const request *r);

/* Elements on chip: --sram, or unbounded if the tiles are given. */
size_t request_M(const request *r);

/* Sizes of a random problem: what is not given follows from what is. */
random_sizes request_sizes(const request *r);

/* Is the problem a random one, or one from files? If neither, the bundled. */
bool request_is_random(const request *r);
bool request_has_files(const request *r);

#endif
