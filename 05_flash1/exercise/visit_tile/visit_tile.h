/*
 * Exercise 05: one visit of a query row to a tile of keys, O rescaled.
 * It is line 12 of FlashAttention's Algorithm 1.
 *
 * docs/05_flash1.md; the next hint: make hint-05 E=visit_tile
 */
#ifndef VISIT_TILE_H
#define VISIT_TILE_H

#include "common/matrix.h"

/* A query row as it is in HBM between two visits. */
typedef struct {
    float m;  /* the largest score so far; -inf before the first */
    float l;  /* sum of e^{s - m} over the scores so far */
    float *o; /* dv elements: the output for the keys so far, divided by l */
} query_row;

/*
 * Adds the keys of a tile to the row. s: their n scores, which may be changed.
 * V: n x dv. After every visit o is attention over all keys so far.
 *
 *   a key with score -inf is not attended; while no key is attended, m is -inf
 *   and l and o are 0
 *   a tile whose keys are all masked changes no bit
 *   a NaN or +inf among the scores: o and l are NaN
 */
void visit_tile(query_row *r, float *s, size_t n, matrix V);

#endif
