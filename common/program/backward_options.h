/*
 * The command line of `./run --backward`.
 */
#ifndef COMMON_BACKWARD_OPTIONS_H
#define COMMON_BACKWARD_OPTIONS_H

#include "common/program/backward_chapter.h"
#include "common/program/problem_options.h"

typedef struct {
    const backward_chapter *chapter;
    const backward_step *steps[MOST_BACKWARD_STEPS + 1]; /* NULL ends */
    const char *names[MOST_BACKWARD_STEPS + 1];
    option o[OPTIONS + 1];
} backward_request;

/*
 * Reads the command line and refuses what does not go together. True: go on.
 * False: *status is the exit code, and what there is to say has been said.
 */
bool backward_read(backward_request *r, const backward_chapter *chapter,
                   int argc, char **argv, int *status);

/* Are gradients to be written to files? */
bool backward_writes(const backward_request *r);

/*
 * The problem asked for (problem_options.h), with dO. Returns an exit code;
 * backward_free frees, in any case.
 */
int backward_problem(const backward_request *r, const random_sizes *sizes,
                     backward_layer *b);

#endif
