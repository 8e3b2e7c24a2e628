/*
 * The backward pass of chapter 06: FlashAttention-2's, one change at a time.
 * docs/backward.md
 */
#ifndef FLASH2_BACKWARD_STEPS_H
#define FLASH2_BACKWARD_STEPS_H

#include "common/step.h"

/* Algorithm 2: flash1_backward with L in place of m and l, and D made once. */
int flash2_backward(const gradients *g, memory *mem);

/* dQ, with the queries outside; and D (Nq x 1) for the other kernel. */
int backward_dq(const gradients *g, array D, memory *mem);
/* dK and dV, with the keys outside, from that D. */
int backward_dkv(const gradients *g, array D, memory *mem);
/* One after the other: no gradient travels. */
int two_kernel_backward(const gradients *g, memory *mem);

/* The same, query blocks and then key blocks on all cores; bit for bit. */
int flash2_backward_parallel(const gradients *g, memory *mem);
/* The machine's speed: one SIMD lane, one query or one column. Not counted. */
gradients_fn backward_simd;

/*
 * h->tile if given; else Bc = floor(M / row) and Br = min(Bc, d), each
 * at least 1. row is 4d + 3dv for flash2_backward, and 3 (d + dv) for
 * backward_dkv. dq_tiles are those of backward_dkv with Br and Bc swapped,
 * because in backward_dq the queries stay.
 */
tile_sizes flash2_backward_tiles(const head *h, size_t M);
tile_sizes two_kernel_tiles(const head *h, size_t M);
tile_sizes dq_tiles(const head *h, size_t M);

/* HBM traffic by formula (traffic.c). */
counts flash2_backward_traffic(const gradients *g, tile_sizes t);
counts two_kernel_traffic(const gradients *g, tile_sizes t);

/* Ends with {0}. */
extern const attention_step chapter_06_backward[];

#endif
