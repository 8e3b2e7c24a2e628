/*
 * The lab's problems: one head of seeded random inputs of a chosen kind, and
 * the error of a step on it. The steps are the chapters' own.
 */
#ifndef LAB_PROBLEM_H
#define LAB_PROBLEM_H

#include "common/head.h"

/* In which order a query meets its keys. */
typedef enum {
    ANY_ORDER, /* as they come: few rescales */
    RISING,    /* by score, the largest last: a rescale at every key */
    FALLING    /* the largest first: no rescale after the first tile */
} key_order;

typedef struct {
    size_t Nq, Nk, d; /* RISING and FALLING want Nq = 1 */
    double sigma;     /* standard deviation of the scaled scores */
    bool unscaled;    /* scale 1 in place of 1 / sqrt(d) */
    key_order order;
    size_t Bc;        /* Br is 16 */
    precision inputs; /* what Q, K, V are rounded to */
    precision P;      /* what P is rounded to before P V */
    precision stored; /* S in HBM; m and l in HBM */
    precision O;      /* O in HBM: in flash1, at every tile */
} lab_case;

/* Errors against float64 of the same rounded inputs, over all trials. */
typedef struct {
    double relative; /* ||O - reference|| / ||reference|| */
    double largest;  /* max |O - reference| / max |V| */
    double rescales; /* tiles or keys at which a row's maximum grew, a row */
} lab_error;

/*
 * Runs the step on `trials` problems of that kind, seeded by `seed`. Returns
 * 0, or 1 after one line on stderr.
 */
int lab_measure(const attention_step *step, const lab_case *c, size_t trials,
                unsigned seed, lab_error *error);

#endif
