/* Terms of the closed forms of traffic. */
#ifndef COMMON_TRAFFIC_H
#define COMMON_TRAFFIC_H

#include "common/head.h"

/* The loop order determines which keys are loaded. With keys in the outer loop,
 * the last loaded key is the last one that any query sees. With queries in the
 * outer loop, it is the last one that a query of the tile sees. */
typedef enum { KEYS_OUTSIDE, QUERIES_OUTSIDE } loop_order;

typedef struct {
    span i, j;
} tile_pair;

/* Sets *p to the next visited pair. Returns false after the last pair. A loop
 * over all pairs: for (tile_pair p = {0}; next_pair(h, t, order, &p);) */
bool next_pair(const head *h, tile_sizes t, loop_order order, tile_pair *p);

/* Sums over all visited pairs of tiles: rows of the query tiles, rows of the
 * key tiles, and elements of the mask tiles (0 without a mask). */
typedef struct {
    size_t queries, keys, masked;
} tile_sums;
tile_sums tiles_visited(const head *h, tile_sizes t, loop_order order);

/* Returns the sum of seen() over all queries; keys before a window count. */
size_t pairs_seen(const head *h);

#endif
