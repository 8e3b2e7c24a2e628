/*
 * HBM traffic of the rungs by closed forms, in elements, all counted as
 * ALGORITHM, with d and dv padded to D columns.
 */
#ifndef CUDA_TRAFFIC_H
#define CUDA_TRAFFIC_H

#include "common/head.h"

/* Returns the traffic of a head of D columns with the rung's tiles, like
 * flash1_traffic of chapter 05 and flash2_traffic of 06. */
typedef counts traffic_fn(const head *h, tile_sizes t);

/* Rung 0, whose tiles are T x T: S is written once and read twice, P is written
 * once and read for every T columns of O. */
traffic_fn in_three_launches;

/* As flash2, but TMA loads whole tiles of K and V, up to the last key that any
 * query sees. So the tile at a causal limit is loaded beyond the limit. */
traffic_fn in_whole_tiles;

/* The same for rung 11. Its pre-pass, where heads share K and V, is not
 * counted. Two bytes count as an element. V is loaded in whole blocks of
 * keys, and every consumer thread reads the scales. */
traffic_fn as_fp8;

#endif
