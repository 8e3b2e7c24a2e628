/*
 * Exercise 04: any number of keys in tiles of Bc rows.
 *
 * docs/04_tiled_attention.md; the next hint: make hint-04 E=ragged_tiles
 */
#ifndef RAGGED_TILES_H
#define RAGGED_TILES_H

#include "common/head.h"

/* What is known of one query's row after some keys. */
typedef struct {
    float m, l;
    matrix o; /* 1 x dv, not yet divided by l */
} running_row;

/*
 * Given (it is in the tests' file): the keys of a tile join the row, as many
 * as K and V have rows. q: 1 x d, K: rows x d, V: rows x dv, on chip.
 */
void attend_tile(running_row *r, float scale, matrix q, matrix K, matrix V);

/*
 * To do: O of the head, without mask, causal limit and softcap; L is left
 * alone. The tiles of K and V have h->Bc rows, which need not divide h->Nk
 * and may be more than h->Nk. Returns mem->error.
 *
 *   every key is attended once, and nothing that is no key
 *   from HBM comes what is needed: Nk rows of K and of V for each query
 */
int ragged_attention(const head *h, memory *mem);

#endif
