/*
 * Exercise 06: which tiles of keys a causal tile of queries visits.
 *
 * docs/06_flash2.md; the next hint: make hint-06 E=skip_tiles
 */
#ifndef SKIP_TILES_H
#define SKIP_TILES_H

#include <stddef.h>

/*
 * The Nk keys are divided into tiles of Bc keys; the last tile may be smaller.
 *
 *   full      number of tiles in which every query sees every key: in these
 *             tiles no score is compared with the causal limit
 *   visited   number of tiles in which some query sees some key: the other
 *             tiles are neither loaded nor computed
 *
 * So the diagonal cuts tiles full .. visited - 1.
 */
typedef struct {
    size_t full, visited;
} tile_range;

/*
 * Returns the range for queries i0 .. i0 + br - 1, with br >= 1. Query i sees
 * the keys j <= i + offset of j = 0 .. Nk - 1. If the offset is negative, the
 * first queries see no key.
 */
tile_range tiles_to_visit(size_t i0, size_t br, size_t Nk, size_t Bc,
                          long offset);

#endif
