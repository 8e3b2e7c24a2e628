/* Forward steps, and functions that run them. */
#ifndef COMMON_STEP_H
#define COMMON_STEP_H

#include "common/layer.h"

typedef struct attention_step attention_step;

/* Runs the step on all heads of a layer, which has at least one head and one
 * query. Returns mem->error. */
typedef int layer_fn(const attention_step *step, const layer *l, memory *mem);

/* The arrays that a step writes to HBM in addition to O and L. */
typedef enum { LEAVES_L, LEAVES_M_L, LEAVES_P } step_leaves;

struct attention_step {
    const char *name;
    precision type; /* the type that the step computes in */
    const char *idea;
    attention_fn *run;   /* NULL if run_layer also runs single heads */
    layer_fn *run_layer; /* for a step on threads or on a GPU; else NULL */
    step_leaves leaves;
    /* Returns the tile sizes for M elements on chip. NULL without tiles. */
    tile_sizes (*tiles)(const head *h, size_t M);
    /* Return the HBM traffic by closed form, in the accounts of memory.h: of
     * one head (formula), or of all heads with tile sizes each.tile
     * (layer_formula). Both are NULL if the step does not count its traffic. */
    counts (*formula)(const head *h, tile_sizes t);
    counts (*layer_formula)(const attention_step *step, const layer *l);
    /* The largest relative error of a weight, including its rounding. The sum l
     * has at most the same error. Tests use it for steps with inexact
     * weights. */
    float weight_error;
};

static inline bool is_counted(const attention_step *step)
{
    return step->formula || step->layer_formula;
}

/* Runs the step on one head. If the step writes m, l or P and h does not have
 * them, allocates them, with the types h->m.type, h->l.type and h->P.type.
 * Counts all that it writes as extra memory. Returns mem->error. */
int step_run(const attention_step *step, const head *h, memory *mem);

/* Returns the head with m, l or P allocated from mem, if the step writes them
 * and h does not have them. For callers that read them after step_run. */
head with_outputs(const attention_step *step, const head *h, memory *mem);

/* Returns the step's tile sizes, or 0 x 0 if it has no tiles. */
tile_sizes step_tiles(const attention_step *step, const head *h, size_t M);

#endif
