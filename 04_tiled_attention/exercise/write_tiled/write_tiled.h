/*
 * Exercise 04: write the whole kernel of tiled attention.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=write_tiled
 */
#ifndef WRITE_TILED_H
#define WRITE_TILED_H

#include "common/head.h"

/*
 * Stores O and L of the head, with its scale, softcap, mask and causal limit.
 * Computes one query after another, with its keys in tiles of h->tile.Bc rows.
 * This number need not divide h->Nk, and may be larger than h->Nk. Returns
 * mem->error. You may use memory.h (load and store), scores.h (scores,
 * exponentiate, weighted_sum), matrix.h and exponential.h.
 *
 *   on_chip allocates one q, one o, and a tile of K and of V; scratch and
 *   scratch_floats allocate the state of a row: its scores s, their maximum m,
 *   and l, the sum of e^{s - m}. Allocate everything once, before the loops.
 *   each query loads its q once, and k and v of each key that it sees once; it
 *   stores o and L once
 *   for a query with nothing to attend to, O is 0 and L is -inf
 *   Q, K and V of the head have NaN in the tests: only load copies their rows. A
 *   right result with other loads earns at most 12 of 30 points
 */
int write_tiled(const head *h, memory *mem);

#endif
