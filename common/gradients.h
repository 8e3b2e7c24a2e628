/*
 * The backward pass of one head: what every backward kernel is handed, and
 * what it does with a row.
 *
 * Given how a loss changes with O (dO), how does it change with Q, K and V?
 *
 *     dV = P^T dO          dP = dO V^T          D_i = sum_c dO_ic O_ic
 *     dS = P o (dP - D)    dQ = dZ K            dK = dZ^T Q
 *
 * dZ is dS times the slope of the final score in q_i . k_j: scale, and with a
 * softcap also 1 - tanh^2(z / softcap). A mask and a causal limit have slope 1
 * where a key is attended, and elsewhere its weight is 0.
 *
 * A weight of exactly 0 adds nothing to any gradient, whatever K, V and dO
 * hold; so a row with nothing to attend to has dQ = 0. A row that is NaN is
 * NaN in its dQ, and makes dK and dV NaN of all keys that it attends to, only:
 * so does one with a score of +inf, of which softmax makes inf - inf.
 *
 * docs/backward.md
 */
#ifndef COMMON_GRADIENTS_H
#define COMMON_GRADIENTS_H

#include "common/layer.h"

typedef struct gradients {
    head h;       /* the forward problem, and what the forward pass left: O, and
                     L, or m and l, or P */
    array dO;     /* Nq x dv */
    array dQ;     /* Nq x d, written */
    array dK;     /* Nk x d, written */
    array dV;     /* Nk x dv, written */
    bool add;     /* dK and dV are added to: by a later head of a group */
    precision dS; /* what dS is rounded to before dQ and dK */
} gradients;

/* A backward kernel: dQ, dK and dV. */
typedef int backward_fn(const gradients *g, memory *mem);

/* The backward problem of a layer's query head nth; the arrays have the shapes of
 * the layer's. A later head of a group adds to dK and dV. */
gradients gradients_of(const layer *l, size_t nth, float *dO, float *dQ,
                       float *dK, float *dV);

/* The problem with only some of its queries, or of its keys. */
gradients gradients_of_queries(const gradients *g, span i);
gradients gradients_of_keys(const gradients *g, span j);

/* dK and dV of the keys that no query sees become 0, unless added to. */
void clear_unseen(const gradients *g, memory *mem);

/* The sums of keys j begin: tile, of dK or dV, becomes 0, or what a head before
 * has left in the array, if it is added to. */
void begin_sum(const gradients *g, memory *mem, matrix *tile, array sums,
               span j);

/*
 * p_j = e^{s_j - m} / l in place of n scores, rounded to h->P_type: what is left
 * to do with a row whose m and l are known. A key that is not attended stays 0,
 * also where l is 0, or NaN. n exponentials and n divisions.
 */
void exponentiate_divided(memory *mem, const head *h, float *s, size_t n,
                          float m, float l);

/*
 * dZ of one query and one key of weight p; 0 where p is 0. Only a softcap's
 * slope needs q and k. score_gradients: of one query and all V.rows keys of a
 * tile, where dp_j is dO . V_j.
 */
float score_gradient(const gradients *g, float p, float dp, float D,
                     const float *q, const float *k);
void score_gradients(const gradients *g, float *ds, const float *p,
                     const float *dO, matrix V, float D, const float *q,
                     matrix K);

/* A_j += x_j y for each key j of weight p_j other than 0: dV and dK. */
void add_to_keys(matrix A, const float *p, const float *x, const float *y);

/* dq += sum_j ds_j K_j over the same keys, summed on its own first. sum: d. */
void add_to_query(float *dq, float *sum, const float *p, const float *ds,
                  matrix K);

#endif
