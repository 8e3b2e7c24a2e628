/*
 * A tile of scores and what a kernel does with one row of it. Every feature
 * of the scores (scale, softcap, mask, causal limit) lives here once, so that
 * a chapter's kernel shows its algorithm and nothing else.
 */
#ifndef COMMON_SCORES_H
#define COMMON_SCORES_H

#include "common/exp_minus.h"
#include "common/head.h"

/*
 * S = the final scores of queries i0 .. i0 + S.rows against keys j0 .. j0 +
 * S.cols, -inf where a key is not attended. Q: S.rows x d, K: S.cols x d, on
 * chip. A mask's tile is read from HBM, booked as MASK.
 */
void scores(const head *h, memory *mem, matrix S, matrix Q, matrix K, size_t i0,
            size_t j0);

/* The score of query i against key j alone; q: 1 x d, k: 1 x d. */
float score(const head *h, memory *mem, matrix q, matrix k, size_t i, size_t j);

/*
 * The weights of one row in place of its scores: s_j = e^{s_j - m}, rounded
 * to h->P, for n keys. Returns their sum before the rounding. If a score is NaN
 * or +inf, they all are NaN, but for keys that are not attended.
 */
float weights(const head *h, float *s, size_t n, float m);

/* p_j / l for n weights; one of 0 stays 0, also where l is 0, or NaN. */
void normalise(float *p, float l, size_t n);

/*
 * o[c] += sum_j p_j V_jc for one row of weights; p: V.rows, o: V.cols. A key
 * of weight 0 is passed over.
 */
void add_weighted(float *o, const float *p, matrix V);

/* o[c] = sum_j p_j V_jc: the same, from zeros. */
void weighted_sum(float *o, const float *p, matrix V);

/* Charges the step for more: count(mem, (counts){.exps = 1}). */
static inline void count(memory *mem, counts more)
{
    counts_add(&mem->counts, &more);
}

#endif
