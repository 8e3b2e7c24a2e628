/*
 * Chapter 06: the backward pass of FlashAttention-2, one change at a time.
 * docs/backward.md
 */
#ifndef FLASH2_BACKWARD_STEPS_H
#define FLASH2_BACKWARD_STEPS_H

#include "common/gradients.h"

/* Algorithm 2: flash1_backward with L instead of m and l; D computed once. */
int flash2_backward(const gradients *g, memory *mem);

/* Outer loop over queries: computes dQ, and D (Nq x 1) for backward_dkv. */
int backward_dq(const gradients *g, array D, memory *mem);
/* Outer loop over keys: computes dK and dV from that D. */
int backward_dkv(const gradients *g, array D, memory *mem);
/* Runs backward_dq, then backward_dkv: each gradient is written once. */
int two_kernel_backward(const gradients *g, memory *mem);

/* The same on all cores, query blocks, then key blocks; the same bits. */
int flash2_backward_parallel(const gradients *g, memory *mem);
/* Fast form: a SIMD lane is one query or one column. Traffic is not counted. */
gradients_fn backward_simd;

/*
 * Return h->tile if it is set. Otherwise Bc = floor(M / row) and Br = min(Bc,
 * d), each at least 1. row is 4d + 3dv for flash2_backward, and 3 (d + dv) for
 * backward_dkv. dq_tiles returns those of backward_dkv with Br and Bc swapped.
 */
tile_sizes flash2_backward_tiles(const head *h, size_t M);
tile_sizes two_kernel_tiles(const head *h, size_t M);
tile_sizes dq_tiles(const head *h, size_t M);

/* HBM traffic by formula (traffic.c). */
counts flash2_backward_traffic(const gradients *g, tile_sizes t);
counts two_kernel_traffic(const gradients *g, tile_sizes t);

/* Ends with {0}. */
extern const backward_step chapter_06_backward[];

#endif
