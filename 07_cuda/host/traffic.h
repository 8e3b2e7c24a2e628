/*
 * What the rungs move between HBM and the chip, by formula: in elements, all
 * booked as ALGORITHM, with d and dv as padded to D columns.
 */
#ifndef CUDA_TRAFFIC_H
#define CUDA_TRAFFIC_H

#include "common/head.h"

#include "07_cuda/rung.h"

typedef counts traffic_fn(const rung *r, const head *h, size_t D);

traffic_fn as_flash1; /* chapter 05's formula */
traffic_fn as_flash2; /* chapter 06's */

/* As flash2, but TMA brings whole tiles of K and V, as far as any query sees:
 * so the tile at a causal limit is loaded beyond it. */
traffic_fn in_whole_tiles;

/* The same of rung 11 without its pre-pass, in which heads share K and V: two
 * bytes are an element. V comes in whole blocks of keys; every thread that
 * computes reads the scales. */
traffic_fn as_fp8;

#endif
