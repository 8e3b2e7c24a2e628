/*
 * Exercise 06: FlashAttention-2, whole, from an empty body.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=write_flash2
 */
#ifndef WRITE_FLASH2_H
#define WRITE_FLASH2_H

#include "common/head.h"

/*
 * O and L of the head, with its scale, softcap, mask and causal limit. Tiles
 * have h->tile.Br queries and h->tile.Bc keys, which need not divide h->Nq and
 * h->Nk and may be more. Returns mem->error. What you may use: memory.h (tiles,
 * load and store), scores.h (scores, exponentiate, weighted_sum), matrix.h,
 * exponential.h.
 *
 *   on chip, by on_chip, are a tile of Q, of O, of K and of V; scores and row
 *   states come from scratch and scratch_floats. They are allocated once,
 *   before the loops.
 *   Q comes from HBM once, O and L go there once; K and V come once for each
 *   tile of queries, and no key comes that none of its queries sees
 *   a query with nothing to attend to: O is 0, L is -inf
 */
int write_flash2(const head *h, memory *mem);

#endif
