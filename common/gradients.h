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

#include "common/head.h"

struct gradients {
    head h;       /* the forward problem. Of what the forward pass wrote a
                     kernel reads O and L, or h.kept */
    array dO;     /* Nq x dv */
    array dQ;     /* Nq x d, written */
    array dK;     /* Nk x d, written */
    array dV;     /* Nk x dv, written */
    bool add;     /* dK and dV are added to: by a later head of a group */
    precision dS; /* what dS is rounded to before dQ and dK */
};

/* One head by the step. Returns mem->error. */
int backward_step_run(const attention_step *step, const gradients *g,
                      memory *mem);

/* The problem with only n queries from i0 on, or n keys from j0 on. */
gradients gradients_of_queries(const gradients *g, size_t i0, size_t n);
gradients gradients_of_keys(const gradients *g, size_t j0, size_t n);

/* dK and dV of the keys that no query sees become 0, unless added to. */
void clear_unseen(const gradients *g, memory *mem, size_t seen);

/*
 * p_j = e^{s_j - m} / l in place of n scores, rounded to h->P: what is left to
 * do with a row whose m and l are known. A key that is not attended stays 0,
 * also where l is 0, or NaN.
 */
void normalised_weights(const head *h, float *s, size_t n, float m, float l);

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
