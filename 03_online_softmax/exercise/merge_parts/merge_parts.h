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
 * Returns the part of the scores of a and those of b. Use only expf:
 * common/exponential.h has the chapter's solution.
 *
 *   a part may have no scores, or only masked ones: (-inf, 0). Merged with any
 *   other part it gives exactly that part
 *   a NaN in the l of either part is a NaN in the l of the result
 */
part merge_parts(part a, part b);

#endif
