/*
 * Exercise 06: choose tiles for a chip of M elements.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=choose_tiles
 */
#ifndef CHOOSE_TILES_H
#define CHOOSE_TILES_H

#include "common/head.h"

/*
 * Several queries share a tile of keys. Br queries are loaded, with room for
 * their outputs, and stay on chip while all keys and values are loaded, Bc at a
 * time; then the next Br queries. So (Br + Bc) (d + dv) elements are on chip,
 * and the traffic is
 *
 *     Nq (d + dv)             each query and output once
 *   + Tr Nk (d + dv)          keys and values for each of Tr = ceil(Nq / Br)
 *
 * Returns Br and Bc, 1 <= Br <= Nq and 1 <= Bc <= Nk, that fit in M elements
 * and have the least traffic; if several pairs have, the one with the largest
 * Bc. If not even one query and one key fit: 0 and 0. Nq, Nk, d and dv are at
 * least 1.
 */
tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M);

#endif
