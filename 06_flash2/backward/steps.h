/* Chapter 06: the backward pass of FlashAttention-2. docs/backward.md */
#ifndef FLASH2_BACKWARD_STEPS_H
#define FLASH2_BACKWARD_STEPS_H

#include "06_flash2/steps.h"
#include "common/gradients.h"

/* All steps and kernels return mem->error. */

/* Algorithm 2 of FlashAttention-2, with D computed once. */
int flash2_backward(const gradients *g, memory *mem);

/* Computes dQ, with the outer loop over queries. Also stores D (Nq x 1). */
int backward_dq(const gradients *g, array D, memory *mem);
/* Computes dK and dV. D is that of backward_dq. */
int backward_dkv(const gradients *g, array D, memory *mem);
/* Runs backward_dq, then backward_dkv: each gradient is written once. */
int two_kernel_backward(const gradients *g, memory *mem);

/* Runs two_kernel_backward on all cores, with the same bits. */
int flash2_backward_parallel(const gradients *g, memory *mem);
/* A SIMD lane computes one query or one column. Traffic is not counted. */
gradients_fn backward_simd;

/*
 * Return h->tile if it is set. Otherwise Bc = floor(M / row) and Br = min(Bc,
 * d), each at least 1. row is 4d + 3dv for flash2_backward, and 3 (d + dv) for
 * backward_dkv. dq_tiles is two_kernel_tiles with Br and Bc swapped.
 */
tile_sizes flash2_backward_tiles(const head *h, size_t M);
tile_sizes two_kernel_tiles(const head *h, size_t M);
tile_sizes dq_tiles(const head *h, size_t M);

/* Return the HBM traffic by formula. */
counts flash2_backward_traffic(const gradients *g, tile_sizes t);
counts two_kernel_traffic(const gradients *g, tile_sizes t);

static const backward_step chapter_06_backward[] = {
    {.name = "flash2_backward",
     .idea = "L in place of m, l; D computed once",
     .tiles = flash2_backward_tiles,
     .run = flash2_backward,
     .formula = flash2_backward_traffic,
     .forward = &chapter_06_steps[1],
     .products = 5},
    {.name = "two_kernel_backward",
     .idea = "dQ, then dK and dV; each is stored once",
     .tiles = two_kernel_tiles,
     .run = two_kernel_backward,
     .formula = two_kernel_traffic,
     .forward = &chapter_06_steps[1],
     .products = 7},
    {.name = "flash2_backward_parallel",
     .idea = "the same on all cores",
     .tiles = two_kernel_tiles,
     .run = flash2_backward_parallel,
     .formula = two_kernel_traffic,
     .forward = &chapter_06_steps[1],
     .products = 7},
    {.name = "backward_simd",
     .idea = "one query or one column per SIMD lane",
     .run_heads = backward_simd,
     .forward = &chapter_06_steps[1],
     .products = 5},
    {0},
};

#endif
