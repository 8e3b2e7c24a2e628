/*
 * Exercise 04: attention of one query in one pass.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=one_pass_row
 */
#ifndef ONE_PASS_ROW_H
#define ONE_PASS_ROW_H

#include <stddef.h>

/* A score_fn returns the score of key j. A value_fn returns the value of key j:
 * dv floats, valid until the next call. */
typedef float score_fn(size_t j);
typedef const float *value_fn(size_t j);

/*
 * Stores o = sum_j p_j V_j over n keys, where p is the softmax of their scores.
 * o has dv floats, each with an error of at most 1e-5. Read each key once, in
 * the order 0, 1, ..., n - 1: first its score, then its value. On-chip memory
 * has no room for n scores.
 *
 *   a key with score -inf is not attended, and its value need not be read; if
 *   no key is attended, or n = 0, o is 0
 *   if a score is NaN, o is NaN
 */
void one_pass_row(float *o, size_t dv, score_fn *score_of, value_fn *value,
                  size_t n);

#endif
