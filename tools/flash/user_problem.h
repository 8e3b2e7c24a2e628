/*
 * Makes the problem that a user of `flash` describes by options.
 *
 * Q is (B, Hq, Nq, d), K is (B, Hk, Nk, d), and V is (B, Hk, Nk, dv). B and the
 * number of heads may be omitted if they are 1. A mask is (B or 1, Hq or 1, Nq,
 * Nk). Its leading dimensions may be omitted.
 */
#ifndef FLASH_USER_PROBLEM_H
#define FLASH_USER_PROBLEM_H

#include "common/lesson/attention/measure_backward.h"

#include "tools/flash/options_table.h"

/* The first options of the commands attention, backward, judge and sweep. */
enum {
    OPT_Q,
    OPT_K,
    OPT_V,
    OPT_MASK,
    OPT_SINK,
    OPT_BLOCK_MASK,
    OPT_BLOCK_SIZE,
    OPT_SCALE,
    OPT_CAUSAL,
    OPT_OFFSET,
    OPT_WINDOW,
    OPT_SOFTCAP,
    OPT_ALIBI,
    OPT_TYPE,
    OPT_KV_TYPE,
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
    PROBLEM_OPTIONS
};

typedef struct {
    uint16_t *bits;    /* elements of V, K and Q; freed by the caller */
    size_t size;       /* number of elements */
    size_t rounded;    /* how many of them rounding changed */
    size_t overflowed; /* how many became infinite */
} narrow_copy;

typedef struct {
    backward_problem b; /* a forward command uses only b.forward */
    npy_array mask, sink, blocks;
    size_t block_size;
    npy_array all_masks; /* the mask and the blocks, as one additive mask */
    layer masked;        /* b.forward's layer with all_masks as its mask */
    narrow_copy narrow;  /* for --type and --kv-type */
} user_problem;

/* Writes the options above to o. Without steps_have_M, leaves out --type, --br,
 * --bc and --sram. */
void problem_options(option o[]);

/* Refuses invalid combinations and values. Returns 0, or 2 after an error. */
int problem_check(const option o[]);

/* Returns the sizes of a random problem, with defaults for absent options. */
problem_sizes requested_sizes(const option o[]);

/*
 * Makes the problem of the options. If sizes is not NULL and --q is not given,
 * the problem is random and has these sizes. Returns 0. After one line on
 * stderr, returns 1 for a bad file or too little memory, or 2 for shapes or
 * values that do not fit. The caller must call user_problem_free in any case.
 */
int user_problem_of(user_problem *p, const option o[],
                    const problem_sizes *sizes);

/* Reads dO from the file, or makes it random if dO is NULL. Returns as
 * user_problem_of does. */
int user_problem_backward(user_problem *p, const char *dO);

void user_problem_free(user_problem *p);

/* Rounds K and V to the type, and also Q if queries is true. Sets type and
 * narrow of these arrays in the problem. n->bits must exist until the problem's
 * last run. Returns 0, or 1 after one line on stderr. */
int problem_narrow(problem *p, precision type, bool queries, narrow_copy *n);

/* Reads a file with the shape of `as`. Returns as user_problem_of does. */
int read_shaped(npy_array *a, const char *file, const npy_array *as);

#endif
