/*
 * Exercise 03: two parts of a row become one.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=merge_parts
 */
#ifndef MERGE_PARTS_H
#define MERGE_PARTS_H

/* What is known of some scores x of a row: m = max x, l = sum e^{x - m}. */
typedef struct {
    float m, l;
} part;

/*
 * The part that holds the scores of a and those of b. Write it with expf
 * alone: common/exponential.h is how the chapter does it.
 *
 *   a part may have no scores, or only masked ones: (-inf, 0), which merged
 *   with any other part gives that part, exactly
 *   a NaN in the l of either part is a NaN in the l of the result
 */
part merge_parts(part a, part b);

#endif
