/*
 * Exercise 03: the most probable word, in the pass that makes the softmax.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=top_score
 */
#ifndef TOP_SCORE_H
#define TOP_SCORE_H

#include <stddef.h>

/* Of a row x: the largest score, where it is, and its softmax weight. */
typedef struct {
    float m;      /* max x */
    size_t at;    /* the first i with x_i = m */
    float weight; /* e^m / sum_j e^{x_j} */
} top;

/* The i-th score. It is charged for: one pass over the row, no more. */
typedef float score_fn(size_t i);

/*
 * Greedy decoding asks a language model for its most probable next word: of
 * 50,000 scores the largest, and how sure the model is of it. Read each of the
 * n scores once, in any order, with score(i).
 *
 *   a score of -inf is no candidate; if all are, or n = 0: (-inf, n, 0)
 *   a NaN among the scores: weight is NaN, m and at are of the others
 */
top top_score(score_fn *score, size_t n);

#endif
