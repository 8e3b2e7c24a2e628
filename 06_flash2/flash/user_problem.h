/*
 * The problem that a user of `flash` describes by options: arrays from .npy
 * files, random ones, or the bundled layer; and the rules of the scores.
 *
 * Q is (B, Hq, Nq, d), K (B, Hk, Nk, d), V (B, Hk, Nk, dv). With three
 * dimensions B is 1; with two there is also only one head. A mask is (B or 1,
 * Hq or 1, Nq, Nk), or has fewer leading dimensions.
 */
#ifndef FLASH_USER_PROBLEM_H
#define FLASH_USER_PROBLEM_H

#include "common/lesson/measure_backward.h"
#include "common/lesson/narrow.h"

#include "06_flash2/flash/options_table.h"

/* The options that describe a problem: the first ones in every table. */
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
    backward_problem b; /* a forward command uses only b.forward */
    npy_array mask, sink, blocks;
    size_t block_size;
    npy_array all_masks; /* the mask and the blocks, as one additive mask */
    layer masked;        /* b.forward's layer with that mask */
    narrow_copy narrow;  /* Q, K and V in 16 bits, for --type and --kv-type */
} user_problem;

/* Fills the first PROBLEM_OPTIONS entries of a table. --type, --br, --bc and
 * --sram are left out if have_M is false. */
void problem_options(option o[], bool have_M);

/* Refuses options that do not fit each other. Returns 0, or 2 after one
 * line. */
int problem_check(const option o[]);

/* True if the options describe a random problem, not files or the bundled
 * layer. */
bool is_random(const option o[]);

/* Returns the sizes of a random problem, with defaults for options that are not
 * given. */
problem_sizes requested_sizes(const option o[]);

/*
 * Makes the problem that the options describe. sizes, if not NULL, replace
 * those of a random problem. Returns 0; or after one line on stderr 1 for a bad
 * file or without memory, 2 for shapes or values that do not fit. The caller
 * calls user_problem_free in any case.
 */
int user_problem_of(user_problem *p, const option o[],
                    const problem_sizes *sizes);

/* Allocates the gradients, and reads dO from a file (NULL: random). Returns
 * as above. */
int user_problem_backward(user_problem *p, const char *dO);
void user_problem_free(user_problem *p);

/* Reads an array from a file. It must have the shape of `as`. Returns as
 * above. */
int read_shaped(npy_array *a, const char *file, const npy_array *as);

#endif
