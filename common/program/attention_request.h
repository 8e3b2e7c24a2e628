/*
 * The problem that a command line of chapters 04 to 06 asks for.
 */
#ifndef COMMON_ATTENTION_REQUEST_H
#define COMMON_ATTENTION_REQUEST_H

#include "common/program/attention_options.h"

/*
 * The problem: from files, random (of those sizes, if sizes is not NULL), or
 * the bundled one; with the mask, scale, causal limit, softcap and tile sizes
 * asked for. Returns an exit code. arrays_free frees, in any case.
 */
int request_problem(const request *r, const random_sizes *sizes,
                    attention_arrays *a);

#endif
