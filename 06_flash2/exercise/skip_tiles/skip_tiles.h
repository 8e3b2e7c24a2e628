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
 *   full      tiles of which every query sees every key: no score in them
 *             needs to be compared with the limit
 *   visited   tiles of which some query sees some key: the others are skipped,
 *             neither loaded nor computed
 *
 * So tiles full .. visited - 1 are those that the diagonal cuts.
 */
typedef struct {
    size_t full, visited;
} tile_range;

/*
 * For br queries (at least one) from i0 on. Query i sees keys j <= i + offset,
 * of j = 0 .. Nk - 1; the offset may be negative, and then the first queries
 * see nothing.
 */
tile_range tiles_to_visit(size_t i0, size_t br, size_t Nk, size_t Bc,
                          long offset);

#endif
