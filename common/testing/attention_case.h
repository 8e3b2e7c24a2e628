/*
 * One attention head that a test sets up. Every array has its own malloc of
 * exactly its size, so that a sanitizer detects an overrun of one element.
 * Q, K, V, O and L are NaN until they are filled.
 */
#ifndef COMMON_ATTENTION_CASE_H
#define COMMON_ATTENTION_CASE_H

#include <stdint.h>

#include "common/gradients.h"
#include "common/step.h"

typedef struct {
    head h;
    size_t M;
    bool exact; /* true if scores are exact in fp32 (smaller tolerance) */
    size_t nth; /* number of the problem in its test, from 1; or 0 */
    /* For a backward step: a random dO, and the arrays of case_backward. Each
     * run copies h to g.h. */
    gradients g;
    /* Written by case_expect (attention_check.h), in float64. */
    double *O, *L; /* Nq x dv and Nq: the expected results */
    double O_tolerance, L_tolerance;
    double *dQ, *dK, *dV;
    double dQ_tolerance, dK_tolerance, dV_tolerance;
    /* Written by case_run: the values of the last run (memory.h). */
    counts counts;
    size_t on_chip;
    size_t scratch;
    size_t extra;
    size_t loads;
} attention_case;

/* Returns a case in fp32 with scale 1 / sqrt(d), unbounded M, and no mask or
 * causal limit. */
attention_case case_of(size_t Nq, size_t Nk, size_t d, size_t dv);
void case_free(attention_case *c);

/* Declares a case that is freed at the end of its block. */
#define auto_case __attribute__((cleanup(case_free))) attention_case

/* Adds the arrays that a backward step reads and writes, unless they exist. */
void case_backward(attention_case *c);

/* Allocate n elements of `size` bytes, or an array in HBM filled with NaN. The
 * caller frees the memory. If out of memory, these functions exit. */
void *case_block(size_t n, size_t size);
array case_array(size_t rows, size_t cols);

/* Fills Q, K and V with random numbers. Scores have a standard deviation of
 * about 4, so rows are peaked: with nearly equal weights a wrong weight would
 * not show. */
void case_random(attention_case *c, uint64_t seed);

/* Fills Q and K with small random integers and V with random numbers. Sets
 * scale to a power of two. So scores are exact in fp32. */
void case_exact(attention_case *c, uint64_t seed);

/* Fills Q with 1 and V with random numbers. For d = 1 the scores are the
 * elements of K, which the test sets. */
void case_scores(attention_case *c, uint64_t seed);

typedef void case_filler(attention_case *c, uint64_t seed);

/* Sets all elements of V to v. */
void case_same_values(attention_case *c, float v);

/* Adds a mask of zeros, which the test can change. */
void case_mask(attention_case *c);

void case_causal(attention_case *c, long offset);

/* Sets the offset, and the rules of a kind. The kind is a sum of 1 (causal), 2
 * (a softcap), 4 (a mask of whole numbers and -inf) and 8 (a window). */
enum { RULE_KINDS = 16 };
void case_rules(attention_case *c, size_t kind, long offset);

/* Writes NaN and infinities to K and V of the keys that no query sees, and to Q
 * and dO of the queries that see no key. */
void case_spoil_unseen(attention_case *c);

/* case_of_scores returns a case with d = 1 that case_scores has filled.
 * case_score sets the score of key j. */
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
