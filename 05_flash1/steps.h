/* Chapter 05: FlashAttention with the loop order of its paper. */
#ifndef FLASH1_STEPS_H
#define FLASH1_STEPS_H

#include "common/step.h"

/* Algorithm 1: keys in the outer loop, queries in the inner; O, m, l in HBM. */
int flash1(const head *h, memory *mem);

/*
 * Returns h->tile if it is set. Otherwise returns Bc = floor(M / (2 (d + dv))),
 * which is the paper's M / 4d for dv = d, and Br = min(Bc, d), each at least 1.
 * The paper rounds up, so its tiles can exceed M.
 */
tile_sizes flash1_tiles(const head *h, size_t M);

/* Returns the HBM traffic of one head by formula, in elements (traffic.c). */
counts flash1_traffic(const head *h, tile_sizes t);

/* Prints the toy problem step by step, for --trace. Returns an exit code. */
int trace_flash1(void);

static const attention_step chapter_05_steps[] = {
    {.name = "flash1",
     .idea = "K, V outside, Q inside; O, m, l go through HBM",
     .run = flash1,
     .leaves = LEAVES_M_L,
     .tiles = flash1_tiles,
     .formula = flash1_traffic},
    {0},
};
static const attention_step *const flash1_step = &chapter_05_steps[0];

#endif
