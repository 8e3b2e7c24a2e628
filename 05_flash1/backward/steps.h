/*
 * Chapter 05: the backward passes of standard attention, which stores dP and
 * dS, and of FlashAttention, which recomputes P. docs/backward.md
 */
#ifndef FLASH1_BACKWARD_STEPS_H
#define FLASH1_BACKWARD_STEPS_H

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/gradients.h"

/* Algorithm 3: reads standard_attention's P, stores dP and dS in HBM. */
int standard_backward(const gradients *g, memory *mem);
/* Algorithm 4: keys in the outer loop, dQ in HBM. Reads m and l. */
int flash1_backward(const gradients *g, memory *mem);

/*
 * Returns h->tile if both sizes are set. Otherwise returns Bc = floor(M / (4
 * (d + dv))), for eight tiles on chip, and Br = min(Bc, d), each at least 1.
 */
tile_sizes flash1_backward_tiles(const head *h, size_t M);

/* Return the HBM traffic of one head by formula, in elements (traffic.c). */
counts standard_backward_traffic(const gradients *g, tile_sizes t);
counts flash1_backward_traffic(const gradients *g, tile_sizes t);

/* Returns the bytes of dO, dQ, dK and dV. For standard_backward, which `only`
 * must name or be NULL, also those of P and dS. */
double backward_bytes(const head *h, const char *only);

static const backward_step chapter_05_backward[] = {
    {.name = "standard_backward",
     .idea = "P was stored; dP and dS through HBM",
     .run = standard_backward,
     .formula = standard_backward_traffic,
     .forward = &standard_step,
     .products = 4},
    {.name = "flash1_backward",
     .idea = "P recomputed; K, V outside, Q inside; dQ goes through HBM",
     .tiles = flash1_backward_tiles,
     .run = flash1_backward,
     .formula = flash1_backward_traffic,
     .forward = &chapter_05_steps[0],
     .products = 5},
    {0},
};

#endif
