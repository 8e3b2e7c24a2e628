/*
 * One head of attention as a test builds it. Every array is a malloc of
 * exactly its size, so that a sanitizer sees one step beyond; what a test does
 * not fill is NaN, so that it is no lucky number.
 */
#ifndef COMMON_ATTENTION_CASE_H
#define COMMON_ATTENTION_CASE_H

#include <stdint.h>

#include "common/step.h"

typedef struct {
    head h;
    size_t M;   /* elements on chip */
    bool exact; /* fp32 holds the scores: no rounding to be excused */
    size_t nth; /* of a claim's problems, counted from 1; 0: of none */
    /* Of a backward step: dO is random, the rest is there after case_backward;
     * g.h is a copy of h, made for each run. */
    gradients g;
    /* Written by case_expect (attention_check.h), in float64. */
    double *O, *L; /* Nq x dv and Nq: what is right */
    double O_tolerance, L_tolerance;
    double *dQ, *dK, *dV;
    double dQ_tolerance, dK_tolerance, dV_tolerance;
    /* Written by case_run: of the last run. */
    counts counts;
    size_t on_chip; /* elements of Q, K, V, O on chip */
    size_t scratch; /* of scores and row states beside them */
    size_t extra;   /* elements of HBM beyond inputs and outputs */
} attention_case;

/* Scale 1 / sqrt(d), no mask, not causal, M unbounded, fp32 throughout. */
attention_case case_of(size_t Nq, size_t Nk, size_t d, size_t dv);
void case_free(attention_case *c);

/* One that is freed where its block ends: auto_case c = case_of(...). */
#define auto_case __attribute__((cleanup(case_free))) attention_case

/* Adds what a backward step writes, and what a forward one leaves for it; once
 * it is there, nothing. */
void case_backward(attention_case *c);

/* n elements of that size, for free(), or the end of the program; and such an
 * array in HBM, of NaN. */
void *case_block(size_t n, size_t size);
array case_array(size_t rows, size_t cols);

/*
 * Q, K, V of a seed, with scores of standard deviation about 4: peaked rows,
 * in which a few keys have all the weight. Among equal weights a wrong one
 * looks like a right one.
 */
void case_random(attention_case *c, uint64_t seed);

/* The same of small integers, and for scale a power of two: exact scores. */
void case_exact(attention_case *c, uint64_t seed);

/* For d = 1: a score is what its key holds, and that is for the test to say. */
void case_scores(attention_case *c, uint64_t seed);

/* Any of the three. */
typedef void case_filler(attention_case *c, uint64_t seed);

/* V alone: of a seed, or all the same. */
void case_random_values(attention_case *c, uint64_t seed);
void case_same_values(attention_case *c, float v);

/* Adds a mask of zeros, for the test to fill. */
void case_mask(attention_case *c);

void case_causal(attention_case *c, long offset);

/* NaN and infinities in K and V of the keys that no query sees, and in Q and dO
 * of the queries that see none. */
void case_spoil_unseen(attention_case *c);

/* case_scores of such a problem; and a score of s against key j. */
attention_case case_of_scores(size_t Nq, size_t Nk, size_t dv);
void case_score(attention_case *c, size_t j, float s);

static inline float *q_of(const attention_case *c, size_t i)
{
    return row(c->h.Q.hbm, i);
}

static inline float *k_of(const attention_case *c, size_t j)
{
    return row(c->h.K.hbm, j);
}

static inline float *v_of(const attention_case *c, size_t j)
{
    return row(c->h.V.hbm, j);
}

static inline float *dO_of(const attention_case *c, size_t i)
{
    return row(c->g.dO.hbm, i);
}

static inline float *mask_of(const attention_case *c, size_t i)
{
    return row(c->h.rule.mask.hbm, i);
}

#endif
