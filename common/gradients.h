/*
 * Backward kernels: their arguments, functions that they call, and their steps.
 * A backward kernel computes the gradients of a loss with respect to Q, K and V
 * of one head, from dO, the gradient with respect to O.
 *
 *     dV = P^T dO          dP = dO V^T          D_i = sum_c dO_ic O_ic
 *     dS = P o (dP - D)    dQ = dZ K            dK = dZ^T Q
 *
 * dZ is dS times the derivative of the final score with respect to q_i . k_j.
 * It is scale, or with a softcap scale (1 - tanh^2(z / softcap)) for the scaled
 * score z. A mask or a causal limit does not change it at attended keys; at
 * other keys the weight is 0.
 *
 * A weight of exactly 0 adds nothing to any gradient, even if K, V or dO is inf
 * or NaN. So a row without attended keys has dQ = 0. If the weights of a row
 * are NaN, its dQ is NaN, and dK and dV are NaN for exactly the keys that the
 * row attends to.
 *
 * docs/backward.md
 */
#ifndef COMMON_GRADIENTS_H
#define COMMON_GRADIENTS_H

#include "common/step.h"

typedef struct gradients {
    head h;       /* Q, K, V, and the results of the forward pass: O and L; for
                     some kernels also m and l, or P */
    array dO;     /* Nq x dv */
    array dQ;     /* Nq x d, output */
    array dK;     /* Nk x d, output */
    array dV;     /* Nk x dv, output */
    bool add;     /* add to the values in dK and dV instead of replacing them */
    precision dS; /* type to which dS is rounded before dQ and dK use it */
} gradients;

/* A backward kernel. It writes dQ, dK and dV, and returns mem->error. */
typedef int backward_fn(const gradients *g, memory *mem);

/* Returns the backward problem of query head nth. dO, dQ, dK and dV are arrays
 * of the whole layer. `add` is true for each head except the first of its
 * group. */
gradients gradients_of(const layer *l, size_t nth, float *dO, float *dQ,
                       float *dK, float *dV);

/* Return the problem restricted to queries i or to keys j. */
gradients gradients_of_queries(const gradients *g, span i);
gradients gradients_of_keys(const gradients *g, span j);

/* Sets dK and dV of the keys after the last seen key to 0, unless g->add. */
void clear_unseen(const gradients *g, memory *mem);

/* Initialises a tile of dK or dV for keys j with 0. If g->add, loads rows j of
 * the array `sums` (dK or dV) instead. */
void begin_sum(const gradients *g, memory *mem, matrix *tile, array sums,
               span j);

/* Replaces n scores by p_j = e^{s_j - m} / l, rounded to h->P_type, for a row
 * whose m and l are known. The weight of a key that is not attended is 0, even
 * if l is 0 or NaN. Counts n exponentials and n divisions. */
void exponentiate_divided(memory *mem, const head *h, float *s, size_t n,
                          float m, float l);

/* Returns dZ of one query and one key with weight p, or 0 if p is 0. Reads q
 * and k only if the head has a softcap. */
float score_gradient(const gradients *g, float p, float dp, float D,
                     const float *q, const float *k);

/* Writes dZ of one query and each of the V.rows keys of a tile to ds. p has the
 * weights. Computes dp_j = dO . V_j. */
void score_gradients(const gradients *g, float *ds, const float *p,
                     const float *dO, matrix V, float D, const float *q,
                     matrix K);

/* A_j += x_j y for each key j with p_j != 0. A is dV or dK. */
void add_to_keys(matrix A, const float *p, const float *x, const float *y);

/* dq += sum_j ds_j K_j over the keys with p_j != 0. `sum` is a scratch buffer
 * of d floats. */
void add_to_query(float *dq, float *sum, const float *p, const float *ds,
                  matrix K);

typedef struct backward_step backward_step;

typedef int gradients_fn(const backward_step *step, const gradients *heads,
                         size_t n, memory *mem);

struct backward_step {
    const char *name, *idea;
    backward_fn *run; /* runs one head; NULL if run_heads is set */
    /* Runs n heads in one call. NULL if the step runs one head at a time. */
    gradients_fn *run_heads;
    /* Returns the tile sizes for M elements on chip. NULL without tiles. */
    tile_sizes (*tiles)(const head *h, size_t M);
    /* Returns the HBM traffic of one head by closed form, in the accounts of
     * memory.h. NULL if the step does not count its traffic. */
    counts (*formula)(const gradients *g, tile_sizes t);
    const attention_step *forward; /* its results are inputs of this step */
    size_t products; /* number of matrix products of 2 N^2 d FLOPs each */
};

/* Runs a backward step. Without run_heads n must be 1. Returns mem->error. */
int backward_step_run(const backward_step *step, const gradients *heads,
                      size_t n, memory *mem);

/* Returns the step's tile sizes, or 0 x 0 if it has no tiles. */
tile_sizes backward_step_tiles(const backward_step *step, const head *h,
                               size_t M);

#endif
