/*
 * Exercise 06, the backward pass: a tile of queries visits a tile of keys.
 * A visit is lines 10 to 16 of FlashAttention-2's Algorithm 2, with the scale.
 *
 * docs/backward.md; the next hint: make hint-06 E=visit_tile_backward
 */
#ifndef VISIT_TILE_BACKWARD_H
#define VISIT_TILE_BACKWARD_H

#include <stdbool.h>

#include "common/matrix.h"

typedef struct {
    matrix Q;       /* br x d */
    matrix O, dO;   /* br x dv: the output for all keys, and its gradient */
    const float *L; /* br: ln sum_j e^{s_j} over all keys */
    matrix dQ;      /* br x d: sum over the keys visited so far */
} query_tile;

typedef struct {
    matrix K, V;   /* bc x d, bc x dv */
    matrix dK, dV; /* bc x d, bc x dv: sums over the queries so far */
} key_tile;

/*
 * Adds the contributions of all pairs of a query of q and a key of k to dQ, dK
 * and dV. `first` is true on the first visit to the tile of keys: then dK and
 * dV are uninitialised. S and P are recomputed from Q, K and L, with s = scale
 * q . k. scratch has 2 bc floats.
 */
void visit_tile_backward(query_tile *q, key_tile *k, float scale, bool first,
                         float *scratch);

#endif
