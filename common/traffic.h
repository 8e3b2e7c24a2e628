/*
 * What the closed forms of traffic are made of: the tiles that a kernel visits,
 * and the pairs of a query and a key that it sees.
 */
#ifndef COMMON_TRAFFIC_H
#define COMMON_TRAFFIC_H

#include "common/head.h"

/*
 * With the keys in the outer loop, tiles reach to the last key that any query
 * sees; with the queries there, to the last that the tile's own queries see.
 */
typedef enum { KEYS_OUTSIDE, QUERIES_OUTSIDE } loop_order;

/* A tile of queries and one of keys, some of which they see. */
typedef struct {
    span i, j;
} tile_pair;

/* for (tile_pair p = {0}; next_pair(h, t, order, &p);): all that are visited. */
bool next_pair(const head *h, tile_sizes t, loop_order order, tile_pair *p);

/* Over all of them: rows of queries, rows of keys, elements of a mask if there
 * is one. */
typedef struct {
    size_t queries, keys, masked;
} tile_sums;
tile_sums tiles_visited(const head *h, tile_sizes t, loop_order order);

/* Pairs of a query and a key up to its causal limit: Nq Nk if there is none. */
size_t pairs_seen(const head *h);

#endif
