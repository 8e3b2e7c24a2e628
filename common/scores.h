/*
 * A tile of scores, and what a kernel does with one row of it. What has a `mem`
 * counts what it computes: an exponential, a multiplication of what was there by
 * a factor, a division.
 */
#ifndef COMMON_SCORES_H
#define COMMON_SCORES_H

#include "common/head.h"

/* --- Exponentials and quotients --------------------------------------------- */

/*
 * e^{x - m}, the only exponential of a safe softmax.
 *
 * m is the running maximum, so x - m <= 0 and nothing overflows. A score of -inf
 * is a key that is not attended: its weight is 0 for every m. Without that guard
 * a leading -inf gives e^{-inf + inf} = NaN (docs/errata.md).
 */
/* ANCHOR: exp_minus */
static inline float exp_minus(float x, float m)
{
    return x == -INFINITY ? 0.0f : expf(x - m);
}
/* ANCHOR_END: exp_minus */

/*
 * 1 / l, and 0 for l = 0: a row with nothing to attend to is 0, not 0/0.
 */
static inline float inverse(float l)
{
    return l == 0.0f ? 0.0f : 1.0f / l;
}

/*
 * a / l, and 0 for l = 0. Exactly 1 if a is l, which a * inverse(l) need not
 * be: a tile of masked keys then leaves O as it is, bit for bit.
 */
static inline float ratio(float a, float l)
{
    return l == 0.0f ? 0.0f : a / l;
}

/* --- A row of scores --------------------------------------------------------- */

/*
 * S = the final scores of queries i against keys j, -inf where a key is not
 * attended; S then has i.n rows and j.n columns. Q: i.n x d, K: j.n x d, on
 * chip. A mask's tile is read from HBM, booked as MASK.
 */
void scores(const head *h, memory *mem, matrix *S, matrix Q, matrix K, span i,
            span j);

/* The score of query i against key j alone; q: 1 x d, k: 1 x d. */
float score(const head *h, memory *mem, matrix q, matrix k, size_t i, size_t j);

/* e^{m_old - m_new}: what a sum against the one maximum is worth against the
 * other. An exponential, and a rescale: of the one number that it is for. */
float worth(memory *mem, float m_old, float m_new);

/*
 * The weights of one row in place of its scores: s_j = e^{s_j - m}, rounded to
 * h->P_type, for n keys; n exponentials. Returns their sum before the rounding.
 * If a score is NaN or +inf, they all are NaN, but for keys not attended.
 */
float exponentiate(memory *mem, const head *h, float *s, size_t n, float m);

/* y[c] *= a for n numbers, as scale_row (matrix.h); n rescales. */
void rescale(memory *mem, float *y, float a, size_t n);

/* y[c] /= l, and 0 for l = 0; n divisions. */
void divide(memory *mem, float *y, float l, size_t n);

/* p_j / l for n weights; one of 0 stays 0, also where l is 0, or NaN; n
 * divisions. */
void normalise(memory *mem, float *p, float l, size_t n);

/* y[c] += a x[c] / l, for a weight a; n divisions. */
void add_divided(memory *mem, float *y, float a, const float *x, float l,
                 size_t n);

/*
 * Chapter 03's merge: what a row came to by some keys, (m, l, o), becomes what
 * it came to by these and by others. o is not yet divided by l, and has n
 * numbers. 2 exponentials, 2 + 2n rescales.
 *
 *     m' = max(m, m_p)     l' = l e^{m - m'} + l_p e^{m_p - m'}
 *     o' = o e^{m - m'} + o_p e^{m_p - m'}
 *
 * (-inf, 0, 0) changes nothing, and parts may come in any order.
 */
void merge_part(memory *mem, float *m, float *l, float *o, float m_part,
                float l_part, const float *o_part, size_t n);

/*
 * o[c] += sum_j p_j V_jc for one row of weights; p: V.rows, o: V.cols. A key
 * of weight 0 is passed over.
 */
void add_weighted(float *o, const float *p, matrix V);

/* o[c] = sum_j p_j V_jc: the same, from zeros. */
void weighted_sum(float *o, const float *p, matrix V);

#endif
