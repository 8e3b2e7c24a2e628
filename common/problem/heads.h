/*
 * Any step over a whole layer, forward or back: one head after another, or all
 * of them at once.
 */
#ifndef COMMON_HEADS_H
#define COMMON_HEADS_H

#include "common/step.h"
#include "common/problem/attention_arrays.h"

/* --- What it cost ---------------------------------------------------------- */

/* ||dQ - truth|| / ||truth|| and so on. (common/judge/attention_measure.h) */
typedef struct {
    double dQ, dK, dV;
} gradient_errors;

typedef struct {
    const char *name; /* the step's: */
    const attention_step *step;
    tile_sizes tiles; /* 0, 0 if the step has none */
    counts counted;   /* over all heads */
    counts formula;   /* the same by closed form */
    counts forward;   /* of the pass that left what a backward pass reads */
    /* The most that one head had, in elements: tiles of Q, K, V, O on chip; HBM
     * beyond inputs and outputs. */
    size_t on_chip, extra;
    bool judged;            /* against float64: is the error known? */
    double error;           /* relative; of the backward pass the worst of */
    gradient_errors errors; /* these */
    double seconds;         /* the fastest run's */
} measurement;

/* --- Forward --------------------------------------------------------------- */

/*
 * O and L of every head by that step, one head after another, or by the step's
 * own run_layer. Returns mem->error. Afterwards mem->on_chip, scratch and extra
 * are the most that one head (or one thread's job) had, and the counts the sum
 * over the heads. The caller resets mem.
 */
int heads_run(const layer *l, const attention_step *step, memory *mem);

/* The same with M elements on chip: m's counts, and its seconds, if they were
 * fewer. Returns 0; 1 for memory; 2 if M is too small: after one line on stderr. */
int forward_run(const layer *l, const attention_step *step, size_t M,
                measurement *m);

/* The step's closed form, over all heads, with M elements on chip. The step
 * must be counted. */
counts heads_formula(const layer *l, const attention_step *step, size_t M);

/* --- Back ------------------------------------------------------------------ */

typedef struct {
    attention_arrays forward; /* Q, K, V, mask, O, L, and the layer */
    npy_array dO;             /* as O */
    npy_array dQ, dK, dV;     /* as Q, K, V; written */
} backward_layer;

/*
 * For a forward problem that was read or made: dO from that file, whose shape
 * must be O's, or random (NULL), and room for the gradients. Returns 0, 1 or 2
 * as arrays_read does; backward_free frees, in any case.
 */
int backward_arrays(backward_layer *b, const char *dO);
/* An array from a file, which must have the other's shape: 0, 1 or 2 so. */
int read_shaped(npy_array *a, const char *file, const npy_array *as);
void backward_free(backward_layer *b);

/* Query head nth, of which a later one of its group adds to dK and dV; the same
 * of a layer, and of arrays that are shaped as its own. */
gradients gradients_of(const layer *l, size_t nth, float *dO, float *dQ,
                       float *dK, float *dV);
gradients gradients_at(const backward_layer *b, size_t nth);

/* dQ, dK and dV of every head, each after its forward pass, as forward_run. The
 * time is of the step alone. */
int backward_run(const backward_layer *b, const attention_step *step, size_t M,
                 measurement *m);

/* The step's closed form over all heads; it must have one. */
counts backward_formula(const backward_layer *b, const attention_step *step,
                        size_t M);

#endif
