/*
 * The backward pass of chapter 05: standard attention's, which stores dP and
 * dS, and FlashAttention's, which makes P again. docs/backward.md
 */
#ifndef FLASH1_BACKWARD_STEPS_H
#define FLASH1_BACKWARD_STEPS_H

#include "common/step.h"

/* Algorithm 3: P was stored by standard_attention; dP and dS are. */
int standard_backward(const gradients *g, memory *mem);
/* Algorithm 4: keys outside, queries inside; dQ travels. Reads m, l. */
int flash1_backward(const gradients *g, memory *mem);

/*
 * h->tile if given; else Bc = floor(M / (4 (d + dv))), since eight
 * tiles are on chip, and Br = min(Bc, d), each at least 1.
 */
tile_sizes flash1_backward_tiles(const head *h, size_t M);

/* HBM traffic by formula (traffic.c). */
counts standard_backward_traffic(const gradients *g, tile_sizes t);
counts flash1_backward_traffic(const gradients *g, tile_sizes t);

/* Ends with {0}. */
extern const attention_step chapter_05_backward[];

#endif
