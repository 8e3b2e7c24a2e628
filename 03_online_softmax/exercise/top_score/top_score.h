/*
 * Exercise 03: find the most probable word in the pass of online softmax.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=top_score
 */
#ifndef TOP_SCORE_H
#define TOP_SCORE_H

#include <stddef.h>

/* The largest score of a row x, its index, and its softmax weight. */
typedef struct {
    float m;      /* max x */
    size_t at;    /* the first i with x_i = m */
    float weight; /* e^m / sum_j e^{x_j} */
} top;

/* Returns the i-th score. The test counts the calls: one pass over the row. */
typedef float score_fn(size_t i);

/*
 * Greedy decoding takes a language model's most probable next word: the largest
 * of 50,000 scores, with its weight. Read each of the n scores once, in any
 * order, with score(i).
 *
 *   of equal scores the first one counts
 *   a score of -inf is no candidate; if all are -inf, or n = 0: (-inf, n, 0)
 *   a NaN among the scores: weight is NaN; m and at are those of the other
 *   scores
 */
top top_score(score_fn *score, size_t n);

#endif
