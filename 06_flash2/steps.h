/* Chapter 06: FlashAttention-2, one change at a time. */
#ifndef FLASH2_STEPS_H
#define FLASH2_STEPS_H

#include "common/step.h"

#include "06_flash2/fast/steps.h"

/* All steps compute O and L, and return mem->error. */

/* flash1 with one division at the end. */
int flash2_deferred(const head *h, memory *mem);
/* The outer loop is over queries, so O, m and l stay on chip. */
int flash2(const head *h, memory *mem);
/* Runs flash2 on threads. O and L have the same bits. */
layer_fn flash2_parallel;
/* Threads compute parts of the keys. */
int split_kv(const head *h, memory *mem);

/*
 * Return h->tile if both sizes are set. Otherwise flash2_deferred_tiles returns
 * flash1_tiles, and flash2_tiles returns Br = floor(M / (2 (d + dv))) and Bc =
 * min(Br, d), each at least 1.
 */
tile_sizes flash2_deferred_tiles(const head *h, size_t M);
tile_sizes flash2_tiles(const head *h, size_t M);

/* Returns the number of keys per part: the smallest multiple of Bc with which
 * there are at most 8 parts. */
size_t split_kv_keys(const head *h, tile_sizes t);

/* Return the HBM traffic of one head by formula, in elements, in tiles of t. */
counts flash2_deferred_traffic(const head *h, tile_sizes t);
counts flash2_traffic(const head *h, tile_sizes t);
counts split_kv_traffic(const head *h, tile_sizes t);

/* Prints the toy problem step by step. Returns 0, or 1 after an error line. */
int trace_flash2(void);

static const attention_step chapter_06_steps[] = {
    {.name = "flash2_deferred",
     .idea = "flash1 with one division at the end",
     .run = flash2_deferred,
     .leaves = LEAVES_M_L,
     .tiles = flash2_deferred_tiles,
     .formula = flash2_deferred_traffic},
    {.name = "flash2",
     .idea = "Q outside, K, V inside; O, m, l stay on chip",
     .run = flash2,
     .tiles = flash2_tiles,
     .formula = flash2_traffic},
    {.name = "flash2_parallel",
     .idea = "the same, query blocks on all cores",
     .run_layer = flash2_parallel,
     .tiles = flash2_tiles,
     .formula = flash2_traffic},
    {.name = "flash2_lanes",
     .idea = "one query per SIMD lane, in plain C",
     .run_layer = flash2_lanes},
    {.name = "flash2_simd",
     .idea = "the same with register tiles and a fast exponential",
     .run_layer = flash2_simd},
    {.name = "split_kv",
     .idea = "for few queries: splits the keys, merges the parts",
     .run = split_kv,
     .tiles = flash2_tiles,
     .formula = split_kv_traffic},
    {.name = "split_kv_simd",
     .idea = "the same with vectors, memory-bound",
     .run_layer = split_kv_simd},
    {0},
};

static const attention_step *const flash2_step = &chapter_06_steps[1];

#endif
