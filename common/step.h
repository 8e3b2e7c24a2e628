/*
 * A forward step: an entry of a chapter's table of steps, and the functions
 * that run it. Backward steps: gradients.h.
 *
 * step_run also allocates m, l or P if absent, as extra memory.
 */
#ifndef COMMON_STEP_H
#define COMMON_STEP_H

#include "common/layer.h"

typedef struct attention_step attention_step;

/* Runs the step on all heads of a layer at once: at least one head, with at
 * least one query. Returns mem->error. */
typedef int layer_fn(const attention_step *step, const layer *l, memory *mem);

/* What a step writes to HBM in addition to O and L. */
typedef enum { LEAVES_L, LEAVES_M_L, LEAVES_P } step_leaves;

struct attention_step {
    const char *name;
    precision type; /* the type that the step computes in */
    const char *idea;
    attention_fn *run;   /* NULL: run_layer runs a single head, too */
    layer_fn *run_layer; /* for a step that has threads, or a GPU; else NULL */
    step_leaves leaves;
    /* Returns the tile sizes for M elements on chip; NULL: no tiles. */
    tile_sizes (*tiles)(const head *h, size_t M);
    /* Return the HBM traffic by closed form, in the same accounts: of one head,
     * or of all heads in tiles of each.tile. Both NULL: it is not counted. */
    counts (*formula)(const head *h, tile_sizes t);
    counts (*layer_formula)(const attention_step *step, const layer *l);
    /* For a step with inexact weights: the largest relative error of a weight,
     * and so of their sum l, rounding of the weight included. For tests. */
    float weight_error;
};

/* True if the step's traffic is counted and has a closed form. */
static inline bool is_counted(const attention_step *step)
{
    return step->formula || step->layer_formula;
}

/* Runs the step on one head. Returns mem->error. */
int step_run(const attention_step *step, const head *h, memory *mem);

/* Returns the head with m, l or P allocated from mem, if the step writes them
 * and h has none: for callers that read them afterwards. */
head with_room(const attention_step *step, const head *h, memory *mem);

/* Returns the step's tile sizes; 0 x 0 if it has none. */
tile_sizes step_tiles(const attention_step *step, const head *h, size_t M);

#endif
