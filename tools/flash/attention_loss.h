/* Measures the error of a step against float64 on problems of one head. */
#ifndef ATTENTION_LOSS_H
#define ATTENTION_LOSS_H

#include "common/layer.h"
#include "common/step.h"

/* How the scores change from the first key to the last. */
typedef enum {
    ANY_ORDER, /* keys are not sorted: few rescales */
    RISING,    /* scores rise: every tile rescales */
    FALLING    /* scores fall: no rescale after the first tile */
} key_order;

typedef struct {
    size_t Nq, Nk, d; /* RISING and FALLING need Nq = 1 */
    double sigma;     /* standard deviation of random scores */
    bool unscaled;    /* scale 1 in place of 1 / sqrt(d) */
    key_order order;
    size_t Bc;         /* keys of a tile; Br is 16 */
    precision inputs;  /* type of Q, K, V */
    bool before;       /* the reference uses Q, K, V before they are rounded;
                        * allowed only with ANY_ORDER */
    precision P;       /* type of P before P V */
    precision stored;  /* type of S, P, m and l in HBM */
    precision O;       /* type of O in HBM; flash1 stores O after every tile */
    const layer *real; /* use the heads of this layer; NULL: random heads */
    uint64_t seed;
} loss_case;

/* The relative error in the Frobenius norm over all problems, and the largest
 * error of an element, divided by the largest |V|. */
typedef struct {
    double relative, largest;
} step_loss;

/* Returns the default number of random problems of Nq queries. */
static inline size_t usual_problems(size_t Nq)
{
    return Nq == 1 ? 16 : 3;
}

/* Sets *loss to the error of the step. All steps have the same problems.
 * Returns 0, or another number after one line on stderr. */
int attention_loss(const loss_case *c, size_t problems,
                   const attention_step *step, step_loss *loss);

#endif
