/*
 * Chapter 05: the backward passes of standard attention, which stores dP and
 * dS, and of FlashAttention, which recomputes P. docs/backward.md
 */
#ifndef FLASH1_BACKWARD_STEPS_H
#define FLASH1_BACKWARD_STEPS_H

#include "common/gradients.h"

/* Algorithm 3: reads standard_attention's P, stores dP and dS in HBM. */
int standard_backward(const gradients *g, memory *mem);
/* Algorithm 4: keys in the outer loop, dQ in HBM. Reads m and l. */
int flash1_backward(const gradients *g, memory *mem);

/*
 * Returns h->tile if it is set. Otherwise returns Bc = floor(M / (4 (d + dv))),
 * for eight tiles on chip, and Br = min(Bc, d), each at least 1.
 */
tile_sizes flash1_backward_tiles(const head *h, size_t M);

/* Return the HBM traffic of one head by formula, in elements (traffic.c). */
counts standard_backward_traffic(const gradients *g, tile_sizes t);
counts flash1_backward_traffic(const gradients *g, tile_sizes t);

extern const backward_step chapter_05_backward[];

#endif
