/*
 * Closed forms of the rungs' HBM traffic, in elements. d and dv are padded to D
 * columns. All traffic is counted as ALGORITHM.
 */
#ifndef CUDA_TRAFFIC_H
#define CUDA_TRAFFIC_H

#include "common/head.h"

/* Returns the traffic of a head of D columns with the tiles of the rung. */
typedef counts traffic_fn(const head *h, tile_sizes t);

/* Traffic of rung 0, whose tiles are T x T. S is written once and read twice. P
 * is written once, and read once for every T columns of O. */
traffic_fn in_three_launches;

/* Traffic of rungs 8 to 10: that of flash2, except that TMA loads whole tiles
 * of K and V, up to the last key that any query sees. */
traffic_fn in_whole_tiles;

/* Traffic of rung 11 without its pre-pass. Two bytes count as one element.
 * Unlike in_whole_tiles, V is loaded in whole blocks of keys, and every
 * consumer thread reads the scales. */
traffic_fn as_fp8;

#endif
