/*
 * Exercise 06: tiles for a chip of M elements.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=choose_tiles
 */
#ifndef CHOOSE_TILES_H
#define CHOOSE_TILES_H

#include "common/head.h"

/*
 * Who could share a tile of keys? Several queries. Br of them come on chip
 * with room for their outputs, and stay while all keys and values pass by, Bc
 * at a time; then the next Br. So on chip lie (Br + Bc) (d + dv) elements, and
 * through HBM go
 *
 *     Nq (d + dv)             each query and output once
 *   + Tr Nk (d + dv)          keys and values for each of Tr = ceil(Nq / Br)
 *
 * Gives Br and Bc, 1 <= Br <= Nq and 1 <= Bc <= Nk, that fit in M elements and
 * move least; of several such pairs the one with the largest Bc. Where not
 * even one query and one key fit: 0 and 0. Nq, Nk, d and dv are at least 1.
 */
tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M);

#endif
