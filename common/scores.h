/*
 * Computes a tile of scores, and updates the state of a row. Functions that
 * take a `mem` count their exponentials, rescales and divisions (memory.h).
 */
#ifndef COMMON_SCORES_H
#define COMMON_SCORES_H

#include "common/exponential.h"
#include "common/head.h"

/* Writes the final scores of queries i and keys j to S: -inf for a key that is
 * not attended. Sets S to i.n rows and j.n columns. Q (i.n x d) and K (j.n x d)
 * are on chip. Loads the tile of the mask from HBM, counted in MASK. */
void scores(const head *h, memory *mem, matrix *S, matrix Q, matrix K, span i,
            span j);

/* Returns the final score of query i and key j from their rows q and k. */
float score(const head *h, memory *mem, matrix q, matrix k, size_t i, size_t j);

/* Returns e^{m_old - m_new}, the factor that converts a sum relative to m_old
 * to one relative to m_new. Counts 1 exponential and 1 rescale. */
float rescale_factor(memory *mem, float m_old, float m_new);
#define worth rescale_factor /* its old name, which students' answers call */

/* Replaces n scores of a row by weights e^{s_j - m}, rounded to h->P_type.
 * Returns their sum before the rounding. If a score is NaN or +inf, the weights
 * of all attended keys are NaN. Counts n exponentials. */
float exponentiate(memory *mem, const head *h, float *s, size_t n, float m);

/* y[c] *= a for n numbers, like scale_row (matrix.h). Counts n rescales. */
void rescale(memory *mem, float *y, float a, size_t n);

/* y[c] *= 1 / l for n numbers. If l is 0, they become 0. Counts n divisions. */
void divide(memory *mem, float *y, float l, size_t n);

/* p_j /= l for n weights. A weight of 0 stays 0, even if l is 0 or NaN. Counts
 * n divisions. */
void normalise(memory *mem, float *p, float l, size_t n);

/* y[c] += a x[c] / l for n numbers and a weight a. Counts n divisions. */
void add_divided(memory *mem, float *y, float a, const float *x, float l,
                 size_t n);

/*
 * The merge of chapter 03. Adds the state (m_part, l_part, o_part) of other
 * keys to the state (m, l, o) of a row. o has n numbers, not yet divided by l.
 * Counts 2 exponentials and 2 + 2n rescales.
 *
 *     m' = max(m, m_p)     l' = l e^{m - m'} + l_p e^{m_p - m'}
 *     o' = o e^{m - m'} + o_p e^{m_p - m'}
 */
void merge_part(memory *mem, float *m, float *l, float *o, float m_part,
                float l_part, const float *o_part, size_t n);

/* o[c] += sum_j p_j V_jc for one row of weights: p has V.rows elements, o has
 * V.cols. Skips keys of weight 0. */
void add_weighted(float *o, const float *p, matrix V);

/* o[c] = sum_j p_j V_jc. Also skips keys of weight 0. */
void weighted_sum(float *o, const float *p, matrix V);

#endif
