/*
 * Exercise 05: one visit of a query row to a tile of keys, O rescaled.
 * The visit is lines 10 to 12 of FlashAttention's Algorithm 1.
 *
 * docs/05_flash1.md; the next hint: make hint-05 E=visit_tile
 */
#ifndef VISIT_TILE_H
#define VISIT_TILE_H

#include "common/matrix.h"

/* The state of a query row, stored in HBM between two visits. */
typedef struct {
    float m;  /* the largest score so far; -inf before the first one */
    float l;  /* sum of e^{s - m} over the scores so far */
    float *o; /* dv elements: the output for the keys so far, divided by l */
} query_row;

/*
 * Adds the n keys of a tile to the row. s has the scores of these keys, and may
 * be overwritten. V has their values, n x dv. After every visit o is the
 * attention output for all keys so far, with an error of at most 1e-5.
 *
 *   a key with score -inf is not attended; while no key is attended, m is -inf
 *   and l and o are 0
 *   a tile whose keys are all masked does not change the row, except that o
 *   may be rounded again
 *   if a score is NaN or +inf, o and l are NaN
 */
void visit_tile(query_row *r, float *s, size_t n, matrix V);

#endif
