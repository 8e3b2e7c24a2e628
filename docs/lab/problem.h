/*
 * The precision lab's problems: one head of a chosen kind, with seeded random
 * inputs or those of the bundled layer.
 */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include "common/problem/attention_arrays.h"
#include "common/problem/random.h"

/* In which order a query meets its keys. */
typedef enum {
    ANY_ORDER, /* as they come: few rescales */
    RISING,    /* by score, the largest last: a rescale at every key */
    FALLING    /* the largest first: no rescale after the first tile */
} key_order;

typedef struct {
    size_t Nq, Nk, d; /* RISING and FALLING want Nq = 1 */
    double sigma;     /* standard deviation of the scores */
    bool unscaled;    /* scale 1 in place of 1 / sqrt(d) */
    key_order order;
    size_t Bc;        /* Br is 16 */
    precision inputs; /* what Q, K, V are rounded to */
    bool before;      /* held against float64 of them before; in ANY_ORDER */
    precision P;      /* what P is rounded to before P V */
    precision stored; /* S in HBM; m and l in HBM */
    precision O;      /* O in HBM: in flash1, at every tile */
    const attention_arrays *real; /* its heads in place of random ones */
} lab_case;

typedef struct {
    head h;
    const lab_case *kind;
    float *data;       /* Q, K, V, O, L, one after another */
    double *reference; /* O in float64 */
    float *x, *y;      /* room for a row of scores, and of weights */
    double *want;      /* and of those in float64 */
} lab_problem;

/* Room for a problem of that kind. Returns 0, or 1 after one line on stderr. */
int lab_problem_new(lab_problem *p, const lab_case *kind);
void lab_problem_free(lab_problem *p);

/*
 * The next inputs from r (or the bundled head `nth`), and what is right for
 * them. Returns 0, or 1 without memory.
 */
int lab_problem_fill(lab_problem *p, random_source *r, size_t nth);

/* Standard deviation of the scores of a row, over all rows of all heads. */
double lab_problem_spread(const layer *p, bool unscaled);

#endif
