/*
 * The problem that a command line of chapters 04 to 06 asks for.
 */
#ifndef COMMON_ATTENTION_REQUEST_H
#define COMMON_ATTENTION_REQUEST_H

#include "common/program/attention_options.h"

/* The index of --step, or else of the chapter's reading step. */
size_t request_step(const request *r);

/* Elements on chip: --sram, or unbounded if the tiles are given. */
size_t request_sram(const request *r);

/* Sizes of a random problem: what is not given follows from what is. */
random_sizes request_sizes(const request *r);

/*
 * The problem: from files, random (of those sizes, if sizes is not NULL), or
 * the bundled one; with the mask, scale, causal limit, softcap and tile sizes
 * asked for. Returns an exit code. arrays_free frees, in any case.
 */
int request_problem(const request *r, const random_sizes *sizes,
                    attention_arrays *a);

#endif
