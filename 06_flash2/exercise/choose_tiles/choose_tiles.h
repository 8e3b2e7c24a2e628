/*
 * Exercise 06: choose tiles for a chip of M elements.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=choose_tiles
 */
#ifndef CHOOSE_TILES_H
#define CHOOSE_TILES_H

#include "common/head.h"

/*
 * A kernel loads Br queries and keeps them and their outputs on chip. Meanwhile
 * it loads all keys and values, Bc of them at a time. Then it continues with
 * the next Br queries. So (Br + Bc) (d + dv) elements are on chip, and the
 * traffic in elements is
 *
 *     Nq (d + dv)        each query is loaded and each output stored once
 *   + Tr Nk (d + dv)     keys and values, for each of Tr = ceil(Nq / Br) tiles
 *
 * Returns the Br and Bc with the least traffic that fit in M elements, with 1
 * <= Br <= Nq and 1 <= Bc <= Nk. If several pairs have the least traffic,
 * returns the pair with the largest Bc. Returns 0 and 0 if one query and one
 * key do not fit. Nq, Nk, d and dv are at least 1.
 */
tile_sizes choose_tiles(size_t Nq, size_t Nk, size_t d, size_t dv, size_t M);

#endif
