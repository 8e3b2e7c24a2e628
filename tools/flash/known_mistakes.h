/* Common mistakes that can explain a user's wrong O, L or gradient.
 * The result of each is computed in float64. docs/questions.md */
#ifndef FLASH_KNOWN_MISTAKES_H
#define FLASH_KNOWN_MISTAKES_H

#include "common/lesson/attention/measure_backward.h"

enum { KNOWN_MISTAKES = 38 };

/* Arrays that a mistake makes wrong. */
enum { OF_O = 1, OF_L = 2, OF_GRADIENTS = 4 };

typedef struct {
    const char *name;  /* for scripts */
    const char *story; /* the mistake, in one or two sentences */
    int of;            /* the arrays that it makes wrong */
} known_mistake;

extern const known_mistake known_mistakes[KNOWN_MISTAKES];

/* Returns the number of mistakes that change one of these arrays. */
size_t mistakes_of(int of);

/*
 * Compares query head nth of a user's O with the result of mistake k. got is
 * the user's O of all heads, (B, Hq, Nq, dv). right and L are O and L of head
 * nth in float64. Returns 1 if they match, 0 if not, and -1 without memory.
 *
 * Only the mistake unseen-rows compares rows that see no key. Mistakes in tiles
 * are tried with the tile sizes layer.each.tile, or if these are not set, with
 * tiles of 1, 16, 32, 64, 128 and 256 rows. *Bc becomes the tile size of the
 * match, or 0 without a match or if the mistake does not depend on tiles.
 */
int mistake_fits(size_t k, const problem *p, size_t nth, const float *got,
                 const double *right, const double *L, size_t *Bc);

/* Like mistake_fits, for L of head h. sink may be NO_SINK. */
int lse_mistake_fits(size_t k, const head *h, double sink, const float *got);

/*
 * Like mistake_fits, for the query heads from `first` that share a key head.
 * given[] states which of dQ, dK and dV the user gave. Each given array matches
 * if its relative error against the mistake is at most the limit, or if it is
 * at most 0.01 and a tenth of the error against the right result.
 */
int gradient_mistake_fits(size_t k, const backward_problem *b, size_t first,
                          const bool given[3], double limit);

#endif
