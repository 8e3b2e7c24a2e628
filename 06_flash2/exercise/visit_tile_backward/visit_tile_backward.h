/*
 * Exercise 06, the backward pass: a tile of queries visits a tile of keys.
 * Lines 10 to 16 of FlashAttention-2's Algorithm 2, with the scale.
 *
 * docs/backward.md; the next hint: make hint-06 E=visit_tile_backward
 */
#ifndef VISIT_TILE_BACKWARD_H
#define VISIT_TILE_BACKWARD_H

#include <stdbool.h>

#include "common/matrix.h"

typedef struct {
    matrix Q;       /* br x d */
    matrix O, dO;   /* br x dv: the output of all keys, and its gradient */
    const float *L; /* br: ln sum_j e^{s_j} of all keys */
    matrix dQ;      /* br x d: of the tiles of keys visited so far */
} query_tile;

typedef struct {
    matrix K, V;   /* bc x d, bc x dv */
    matrix dK, dV; /* bc x d, bc x dv: of the queries so far */
} key_tile;

/*
 * Adds the gradients of this visit's pairs to dQ, dK and dV. first: the first
 * visit to this tile of keys; its dK and dV are uninitialised. S and P are
 * recomputed from Q, K and L, with s = scale q . k; scratch: 2 bc floats.
 */
void visit_tile_backward(query_tile *q, key_tile *k, float scale, bool first,
                         float *scratch);

#endif
