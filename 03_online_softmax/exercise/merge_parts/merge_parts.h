/*
 * Exercise 03: merge two parts of a row.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=merge_parts
 */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

/* The state of some scores x of a row: m = max x, l = sum e^{x - m}. */
typedef struct {
    float m, l;
} part;

/*
 * Returns the state of the scores of a and b together. Use only expf: do not
 * use common/exponential.h and common/scores.h, which have the solution.
 *
 *   a part without scores, or with masked scores only, is (-inf, 0); merging
 *   it with another part gives exactly that other part
 *   if l of a or b is NaN, l of the result is NaN
 */
part merge_parts(part a, part b);

#endif
