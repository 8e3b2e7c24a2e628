/*
 * Exercise 06: which tiles of keys a causal tile of queries visits.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=skip_tiles
 */
#ifndef SKIP_TILES_H
#define SKIP_TILES_H

#include <stddef.h>

/*
 * Nk keys in tiles of Bc (the last one may be smaller), from tile 0 on:
 *
 *   full      number of tiles in which every query sees every key: no score in
 *             them needs to be compared with the limit
 *   visited   number of tiles in which some query sees some key: the others are
 *             neither loaded nor computed
 *
 * So the diagonal cuts tiles full .. visited - 1.
 */
typedef struct {
    size_t full, visited;
} tile_range;

/*
 * Returns the range for br queries (at least one) from i0 on. Query i sees the
 * keys j <= i + offset of j = 0 .. Nk - 1. The offset may be negative; then the
 * first queries see no key.
 */
tile_range tiles_to_visit(size_t i0, size_t br, size_t Nk, size_t Bc,
                          long offset);

#endif
