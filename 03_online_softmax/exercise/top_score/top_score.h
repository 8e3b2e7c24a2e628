/*
 * Exercise 03: find the most probable word in the pass of online softmax.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=top_score
 */
#ifndef TOP_SCORE_H
#define TOP_SCORE_H

#include <stddef.h>

typedef struct {
    float m;      /* max x */
    size_t at;    /* the first i with x_i = m */
    float weight; /* e^m / sum_j e^{x_j} */
} top;

/* Returns score i. The test counts the calls, and allows n of them. */
typedef float score_fn(size_t i);

/*
 * Returns the largest of n scores, its index and its weight. Greedy decoding
 * takes the most probable next word of a language model in this way, for
 * example from 50,000 scores. Read each score once with score(i), in any order.
 *
 *   if several scores are the largest, `at` is the first of them
 *   a score of -inf is never the largest; if all scores are -inf, or n = 0, the
 *   result is (-inf, n, 0)
 *   if a score is NaN, weight is NaN, and m and at are those of the other
 *   scores
 */
top top_score(score_fn *score, size_t n);

#endif
