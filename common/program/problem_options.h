/*
 * The problem that a program of attention is asked for: one list of options,
 * of which the forward and the backward programs each leave out a few, what of
 * them does not go together, and the arrays that they lead to.
 */
#ifndef COMMON_PROBLEM_OPTIONS_H
#define COMMON_PROBLEM_OPTIONS_H

#include "common/problem/attention_arrays.h"
#include "common/program/options.h"

enum {
    OPT_BACKWARD,
    OPT_LIST,
    OPT_TRACE,
    OPT_STEP,
    OPT_Q,
    OPT_K,
    OPT_V,
    OPT_MASK,
    OPT_SINK,
    OPT_BLOCK_MASK,
    OPT_GRAD_OUT,
    OPT_OUT,
    OPT_LSE,
    OPT_GRAD_Q,
    OPT_GRAD_K,
    OPT_GRAD_V,
    OPT_SCALE,
    OPT_CAUSAL,
    OPT_CAUSAL_OFFSET,
    OPT_WINDOW,
    OPT_ALIBI,
    OPT_BLOCK_SIZE,
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
    OPT_DTYPE,
    OPTIONS
};

typedef enum { SWEEP_N, SWEEP_D, SWEEP_SRAM, SWEEP_BR, SWEEPS } sweep;

/* All of them; --step has a choice of these names. */
void problem_options(option o[OPTIONS + 1], const char *const steps[]);

/* The program does not have options first .. last. */
void leave_out(option o[], int first, int last);

/* No option at all, or none but --csv (and --dtype)? */
bool asks_nothing(const option o[]);
/* Is the problem in files, or a random one? Neither: the bundled one. */
bool asks_files(const option o[]);
bool asks_random(const option o[]);
/* Of a random problem; what is not given follows from what is. */
random_sizes asked_sizes(const option o[]);
/* Elements on chip: --sram, or unbounded if the tiles are given. */
size_t asked_M(const option o[]);

/* Is there something in it that does not go together, whatever the step? 0, or 2
 * after one line on stderr. */
int problem_check(const option o[]);

/*
 * The problem: from files, random (of those sizes, if sizes is not NULL), or
 * the bundled one; with the mask, scale, causal limit, softcap and tile sizes
 * asked for. Returns an exit code. arrays_free frees, in any case.
 */
int problem_arrays(const option o[], const random_sizes *sizes,
                   attention_arrays *a);

#endif
