/*
 * Exercise 03: write a test that finds wrong softmaxes.
 *
 * docs/03_online_softmax.md; the next hint: make hint-03 E=catch_mistakes
 */
#ifndef CATCH_MISTAKES_H
#define CATCH_MISTAKES_H

#include <stddef.h>

enum { MOST_SCORES = 64, MOST_CALLS = 100 };

/* The n scores of a row, or its n weights. */
typedef struct {
    size_t n;
    float x[MOST_SCORES];
} floats;

/* Returns the weights of a row of 1 to MOST_SCORES scores. */
typedef floats softmax_function(floats scores);

/*
 * Returns 1 if softmax is wrong for some row, and 0 if it is right for all
 * rows. Chooses the rows, and calls softmax at most MOST_CALLS times:
 *
 *     floats p = softmax((floats){3, {1, 2, 3}});
 *
 * The code of softmax is hidden. finds_mistake is called with wrong softmaxes,
 * each with another mistake, and with right ones.
 *
 *   a score is from -10000 to 10000, or -inf, which has weight 0; if all scores
 *   are -inf, all weights are 0
 *   in a right softmax the error of each weight is at most 0.001
 *   a softmax may compute a row in blocks of up to 16 scores, and merge them
 */
int finds_mistake(softmax_function *softmax);

#endif
