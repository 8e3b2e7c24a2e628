/*
 * Exercise 06: write the whole kernel of FlashAttention-2.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=write_flash2
 */
#ifndef WRITE_FLASH2_H
#define WRITE_FLASH2_H

#include "common/head.h"

/*
 * Stores O and L of the head, with its scale, softcap, mask and causal limit.
 * Tiles have h->tile.Br queries and h->tile.Bc keys. These sizes need not
 * divide h->Nq and h->Nk, and may be larger. Returns mem->error. You may use
 * memory.h (tiles, load and store), scores.h (scores, exponentiate,
 * weighted_sum), matrix.h and exponential.h.
 *
 *   on_chip allocates a tile of Q, of O, of K and of V; scratch and
 *   scratch_floats allocate the scores s of rows, their maxima m, and their l,
 *   the sums of e^{s - m}. They are allocated once, before the loops.
 *   Q is loaded once, and O and L are stored once
 *   K and V are loaded once for each tile of queries, except the keys that
 *   none of its queries sees
 *   a query with nothing to attend to has O = 0 and L = -inf
 *   Q, K and V of the head have NaN in the tests: only load copies their rows. A
 *   right result with other loads earns at most 12 of 30 points
 */
int write_flash2(const head *h, memory *mem);

#endif
