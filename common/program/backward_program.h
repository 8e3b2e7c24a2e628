/*
 * `./run --backward` of chapters 05 and 06: the gradients by any of a chapter's
 * backward steps, over the bundled data, over files or over random problems.
 */
#ifndef COMMON_BACKWARD_PROGRAM_H
#define COMMON_BACKWARD_PROGRAM_H

#include "common/judge/gradient_error.h"

enum { MOST_BACKWARD_STEPS = 8 };

typedef struct {
    const backward_step *step;
    tile_sizes tiles;       /* 0, 0 if the step has none */
    counts formula;         /* of all heads */
    backward_cost cost;     /* its seconds: the fastest run's */
    gradient_errors errors; /* against float64 */
} backward_measurement;

typedef struct {
    const char *about;
    /* What the tables show, in order: steps of the chapter before (or NULL),
     * then the chapter's own; each list ends with {0}. */
    const backward_step *before, *own;
    size_t reading; /* the one of its own that writes files without --step */
    /* Prints what the tables show: m[k] is of the k-th step; M on chip. */
    void (*lesson)(const layer *l, size_t M, const backward_measurement m[]);
    /* Prints the toy, visit by visit; returns an exit code. */
    int (*trace)(void);
    const char *next; /* what to do after the lesson */
} backward_chapter;

/* Is the command line one for backward_program? --backward is among it. */
bool asks_backward(int argc, char **argv);

/* The whole program; returns its exit code. */
int backward_program(const backward_chapter *chapter, int argc, char **argv);

/* The step on the problem, with the best time of that many runs. Returns an
 * exit code. */
int measure_backward(const backward_layer *b, const backward_step *step,
                     size_t M, size_t runs, const gradient_truth *truth,
                     backward_measurement *m);

/* The measurement of that kernel, which must be among them. */
const backward_measurement *backward_measured(const backward_measurement m[],
                                              backward_fn *kernel);

#endif
