/*
 * The precision lab: problems of one head of a chosen kind, with seeded random
 * inputs or those of the bundled layer; and what steps of the chapters lose on
 * them against float64.
 */
#ifndef LAB_MEASURE_H
#define LAB_MEASURE_H

#include "common/lesson/problem.h"
#include "common/data/random.h"

/* In which order a query meets its keys. */
typedef enum {
    ANY_ORDER, /* as they come: few rescales */
    RISING,    /* by score, the largest last: a rescale at every key */
    FALLING    /* the largest first: no rescale after the first tile */
} key_order;

typedef struct {
    size_t Nq, Nk, d; /* RISING and FALLING want Nq = 1 */
    double sigma;     /* standard deviation of the scores; 0: real ones */
    bool unscaled;    /* scale 1 in place of 1 / sqrt(d) */
    key_order order;
    size_t Bc;        /* Br is 16 */
    precision inputs; /* what Q, K, V are rounded to */
    bool before;      /* compared with float64 of them before; in ANY_ORDER */
    precision P;      /* what P is rounded to before P V */
    precision stored; /* S in HBM; m and l in HBM */
    precision O;      /* O in HBM: in flash1, at every tile */
    const problem *real; /* its heads in place of random ones */
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

/* Steps that docs/precision.md tells of. */
enum {
    OF_ROWS = 1, /* softmax of chapters 01 to 03: its weights, for the scores */
                 /* in fp32, stored as c.stored */
    OF_HEADS = 2, /* attention: O */
    ROUNDING = 4, /* that rounds what it stores: not the fast ones */
    TILED = 8,    /* whose tile sizes may be chosen */
    STANDARD = 16 /* standard_attention alone */
};

/* Runs the steps of these sets on the same problems, three or 16 seeded ones or
 * all heads of the bundled layer ("real", and then what is named), and prints a
 * line for each. Returns 0, or 1 after one line on stderr. */
int print_steps(const char *experiment, lab_case c, unsigned sets);

enum { LAB_SEED = 1 };

/* How many random problems of so many queries are measured if none are asked for. */
static inline size_t problems_of_lab(size_t Nq)
{
    return Nq == 1 ? 16 : 3;
}

/* The name of the lab's nth attention step, or NULL; *rounds: whether it rounds
 * what it stores. */
const char *attention_of_lab(size_t n, bool *rounds);

/* The error of O of the step of that name over seeded problems: relative
 * Frobenius, and the largest over the largest |V|. Returns 0, or 1 after one line
 * on stderr. */
int measure_step(const char *name, const lab_case *c, size_t problems,
                 double *relative, double *largest);

#endif
