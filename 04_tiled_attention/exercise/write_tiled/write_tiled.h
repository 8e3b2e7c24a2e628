/*
 * Exercise 04: tiled attention, whole, from an empty body.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=write_tiled
 */
#ifndef WRITE_TILED_H
#define WRITE_TILED_H

#include "common/head.h"

/*
 * O and L of the head, with its scale, softcap, mask and causal limit: for one
 * query after the other, its keys in tiles of h->tile.Bc, which need not divide
 * h->Nk and may be more. Returns mem->error. What you may use: memory.h (load
 * and store), scores.h (scores, exponentiate, weighted_sum), matrix.h,
 * exponential.h.
 *
 *   on chip, by on_chip, are one q, one o, and a tile of K and of V; scores
 *   and what else a row needs come from scratch and scratch_floats. They are
 *   allocated once, before the loops.
 *   for each query q comes from HBM, and each key that it sees, with its
 *   value, once; o and L go there once
 *   a query with nothing to attend to: O is 0, L is -inf
 */
int write_tiled(const head *h, memory *mem);

#endif
