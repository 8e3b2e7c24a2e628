/*
 * What the rungs move between HBM and the chip, by formula: in elements, all
 * booked as ALGORITHM, with d and dv as padded to D columns.
 */
#ifndef CUDA_TRAFFIC_H
#define CUDA_TRAFFIC_H

#include "common/head.h"

/* Of a head of D columns, in the rung's tiles: as flash1_traffic, of chapter
 * 05, and flash2_traffic, of 06. */
typedef counts traffic_fn(const head *h, tile_sizes t);

/* Rung 0, whose tiles are T x T: S is written once and read twice, P is written
 * once and read for every T columns of O. */
traffic_fn in_three_launches;

/* As flash2, but TMA brings whole tiles of K and V, as far as any query sees:
 * so the tile at a causal limit is loaded beyond it. */
traffic_fn in_whole_tiles;

/* The same of rung 11 without its pre-pass, in which heads share K and V: two
 * bytes are an element. V comes in whole blocks of keys; every thread that
 * computes reads the scales. */
traffic_fn as_fp8;

#endif
