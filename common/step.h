/*
 * A step, forward or backward, as the tables of the chapters have it, and the
 * one way to run it.
 *
 * The functions here are handed what a program or a test has, and do what no
 * kernel of a paper does: they make the m, l or P that the caller has not given,
 * as extra memory, and merge a sink into what the step came to.
 */
#ifndef COMMON_STEP_H
#define COMMON_STEP_H

#include "common/gradients.h"
#include "common/layer.h"

typedef struct attention_step attention_step;

/*
 * All heads of a layer at once, or n of them backward, by a step that is told
 * which one it is; at least one head, of at least one query. Returns mem->error.
 */
typedef int layer_fn(const attention_step *step, const layer *l, memory *mem);
typedef int gradients_fn(const attention_step *step, const gradients *heads,
                         size_t n, memory *mem);

/* What a forward step leaves in HBM beside O and L. */
typedef enum { LEAVES_L, LEAVES_M_L, LEAVES_P } step_leaves;

struct attention_step {
    const char *name;
    precision type; /* the type that the step computes in */
    const char *idea;
    attention_fn *run;   /* NULL: run_layer does a single head, too */
    layer_fn *run_layer; /* for a step that has threads, or a GPU; else NULL */
    step_leaves leaves;
    /* The tile sizes that it uses with M on chip; NULL: it has no tiles. */
    tile_sizes (*tiles)(const head *h, size_t M);
    /* HBM traffic by formula, booked as counted, but for a sink's: of one head
     * or, told the step, of all in tiles of each.tile; both NULL: it is not
     * counted. */
    counts (*formula)(const head *h, tile_sizes t);
    counts (*layer_formula)(const attention_step *step, const layer *l);
    /* Of a backward step, in place of these: */
    backward_fn *back;
    gradients_fn *back_heads; /* or NULL; does a single head, too */
    counts (*back_formula)(const gradients *g, tile_sizes t);
    const attention_step *forward; /* which leaves what it reads */
    size_t products;               /* matrix products: 2 N^2 d FLOPs each */
    /* Of a step that is not exact: a weight, and so their sum l, is off by up to
     * this part of itself, beyond rounding. */
    float weight_error;
};

static inline bool is_backward(const attention_step *step)
{
    return step->back || step->back_heads;
}

/* Is the step's traffic counted, and known by a formula? */
static inline bool is_counted(const attention_step *step)
{
    return step->formula || step->layer_formula || step->back_formula;
}

/* One head by the step; or all at once, by a step that has a run_layer. Each
 * returns mem->error. */
int step_run(const attention_step *step, const head *h, memory *mem);
int step_run_layer(const attention_step *step, const layer *l, memory *mem);

/* The head with m, l or P from mem, if the step leaves them and the caller has
 * not given them: for who needs them afterwards. */
head with_room(const attention_step *step, const head *h, memory *mem);

/* n heads backward: one, or what a step with back_heads is handed at once. */
int step_run_back(const attention_step *step, const gradients *heads, size_t n,
                  memory *mem);

/* The step's tile sizes, 0 x 0 if it has none. */
tile_sizes step_tiles(const attention_step *step, const head *h, size_t M);

/* One head's traffic by the step's formula, with M on chip, and the sink's. */
counts step_formula(const attention_step *step, const head *h, size_t M);
/* What a sink adds to it: 0 without one. */
counts sink_traffic(const attention_step *step, const head *h);

#endif
