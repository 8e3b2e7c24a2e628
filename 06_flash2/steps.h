/*
 * Chapter 06: FlashAttention-2, one change at a time.
 */
#ifndef FLASH2_STEPS_H
#define FLASH2_STEPS_H

#include "common/head.h"

/* flash1 with one division at the end. */
int flash2_deferred(const head *h, memory *mem);
/* The loops swapped: queries outside, O, m, l on chip. */
int flash2(const head *h, memory *mem);
/* Threads over (head, query block) pairs; bit for bit flash2's O and L. */
int flash2_parallel(const head *h, memory *mem);
int flash2_parallel_heads(const head heads[], size_t n, memory *mem);
/* The same at the machine's speed: one SIMD lane, one query. Not counted. */
int flash2_lanes(const head *h, memory *mem);
int flash2_lanes_heads(const head heads[], size_t n, memory *mem);
int flash2_simd(const head *h, memory *mem);
int flash2_simd_heads(const head heads[], size_t n, memory *mem);
/* Threads over parts of the keys, which are merged at the end. */
int split_kv(const head *h, memory *mem);
/* The same at the memory's speed; many queries go to flash2_simd. */
int split_kv_simd(const head *h, memory *mem);
int split_kv_simd_heads(const head heads[], size_t n, memory *mem);

/*
 * h->Br and h->Bc if given; else, for flash2_deferred, flash1's rule, and for
 * the others its mirror image, Br = floor(M / (2 (d + dv))) and Bc = min(Br,
 * d): the traffic depends on Br alone. Each at least 1.
 */
tile_sizes flash2_deferred_tiles(const head *h, size_t M);
tile_sizes flash2_tiles(const head *h, size_t M);
tile_sizes split_kv_tiles(const head *h, size_t M);

/* Keys of a part: whole tiles, so few that there are at most 8 parts. */
size_t split_kv_keys(const head *h, tile_sizes t);

/* HBM traffic by formula (traffic.c). */
counts flash2_deferred_traffic(const head *h, tile_sizes t);
counts flash2_traffic(const head *h, tile_sizes t);
counts split_kv_traffic(const head *h, tile_sizes t);

static const attention_step chapter_06_steps[] = {
    {"flash2_deferred", FP32, "flash1 with one division at the end",
     flash2_deferred, NULL, flash2_deferred_tiles, flash2_deferred_traffic},
    {"flash2", FP32, "Q outside, K, V inside; O, m, l stay on chip", flash2,
     NULL, flash2_tiles, flash2_traffic},
    {"flash2_parallel", FP32, "the same, query blocks on all cores",
     flash2_parallel, flash2_parallel_heads, flash2_tiles, flash2_traffic},
    {"flash2_lanes", FP32, "one SIMD lane, one query, in plain C", flash2_lanes,
     flash2_lanes_heads, NULL, NULL},
    {"flash2_simd", FP32, "the same with register tiles: the machine's speed",
     flash2_simd, flash2_simd_heads, NULL, NULL},
    {"split_kv", FP32, "few queries: the keys in parts, merged", split_kv, NULL,
     split_kv_tiles, split_kv_traffic},
    {"split_kv_simd", FP32, "the same with vectors: the memory's speed",
     split_kv_simd, split_kv_simd_heads, NULL, NULL},
    {0},
};

#endif
