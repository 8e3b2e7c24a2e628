/* Chapter 06: FlashAttention-2, one change at a time. */
#ifndef FLASH2_STEPS_H
#define FLASH2_STEPS_H

#include "common/step.h"

/* All steps compute O and L, and return mem->error. */

/* flash1 with one division at the end. */
int flash2_deferred(const head *h, memory *mem);
/* The outer loop is over queries, so O, m and l stay on chip. */
int flash2(const head *h, memory *mem);
/* Runs flash2 on threads. O and L have the same bits. */
layer_fn flash2_parallel;
/* Fast forms: each SIMD lane computes one query. Traffic is not counted. */
layer_fn flash2_lanes;
layer_fn flash2_simd;
/* Threads compute parts of the keys. */
int split_kv(const head *h, memory *mem);
/* split_kv with vectors. Runs flash2_simd for more than FEW_QUERIES queries. */
layer_fn split_kv_simd;
enum { FEW_QUERIES = 16 };

/*
 * These steps compute in bf16. flash2_pairs runs with AVX512-BF16, the others
 * on a matrix unit, AMX; without these instructions they run in plain C. The
 * flash2_amx steps support causal limits, windows, and d and dv up to 256. They
 * refuse other heads, and all refuse fp16 inputs (MEMORY_REFUSED).
 */
layer_fn flash2_pairs;
layer_fn flash2_amx_plain;
layer_fn flash2_amx_overlap;
layer_fn flash2_amx;
/* Returns the fastest step in bf16 for inputs in bf16, or NULL if split_kv_simd
 * is faster on this CPU. FLASH2_TILES forces a step (bf16_heads.h). */
const attention_step *bf16_step(const layer *l);

/*
 * Variants of flash2 (variants/, docs/variants.md). mla refuses a head whose V
 * is not the first dv columns of K. block_mask.h and sink.h declare two more.
 */
int lazy_rescale(const head *h, memory *mem);
int paged_kv(const head *h, memory *mem);
int mla(const head *h, memory *mem);
layer_fn cascade;
enum { PAGED_KV_PAGE = 16 }; /* keys per page */
/* Returns the length of the common prefix of all sequences for a query head. */
size_t cascade_prefix(const layer *l, size_t nth);

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

/* Return the HBM traffic by formula, in elements: of one head in tiles of t, or
 * of all heads in tiles of l->each.tile. */
counts flash2_deferred_traffic(const head *h, tile_sizes t);
counts flash2_traffic(const head *h, tile_sizes t);
counts split_kv_traffic(const head *h, tile_sizes t);
counts paged_kv_traffic(const head *h, tile_sizes t);
counts mla_traffic(const head *h, tile_sizes t);
counts cascade_traffic(const attention_step *step, const layer *l);

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

/* Steps that are not in the tables of ./run. */
static const attention_step chapter_06_variants[] = {
    {.name = "lazy_rescale",
     .idea = "flash2; rescales only if m grows by more than ln 256",
     .run = lazy_rescale,
     .tiles = flash2_tiles,
     .formula = flash2_traffic},
    {.name = "paged_kv",
     .idea = "flash2; K, V in pages, found by a table",
     .run = paged_kv,
     .tiles = flash2_tiles,
     .formula = paged_kv_traffic},
    {.name = "mla",
     .idea = "flash2; V is the first columns of K",
     .run = mla,
     .tiles = flash2_tiles,
     .formula = mla_traffic},
    {.name = "cascade",
     .idea = "flash2; a batch loads its common prefix once",
     .run_layer = cascade,
     .tiles = flash2_tiles,
     .layer_formula = cascade_traffic},
    /* Without a block mask this is flash2 (variants/block_mask.h). */
    {.name = "flash2_block_mask",
     .idea = "flash2; skips tiles in which no block is 1",
     .run = flash2,
     .tiles = flash2_tiles,
     .formula = flash2_traffic},
    {0},
};

static const attention_step *const lazy_rescale_step = &chapter_06_variants[0];
static const attention_step *const paged_kv_step = &chapter_06_variants[1];
static const attention_step *const mla_step = &chapter_06_variants[2];
static const attention_step *const cascade_step = &chapter_06_variants[3];
static const attention_step *const block_mask_step = &chapter_06_variants[4];

/* The largest relative error of a weight: 2^-8 by rounding to bf16, plus 2.1e-3
 * by the exponential. */
#define AMX_WEIGHT_ERROR (0x1p-8f + 2.1e-3f)

static const attention_step chapter_06_bf16[] = {
    {.name = "flash2_pairs",
     .type = BF16,
     .idea = "flash2_simd with twice the products per instruction",
     .run_layer = flash2_pairs},
    {.name = "flash2_amx_plain",
     .type = BF16,
     .idea = "bf16 on a matrix unit",
     .run_layer = flash2_amx_plain,
     .weight_error = AMX_WEIGHT_ERROR},
    {.name = "flash2_amx_overlap",
     .type = BF16,
     .idea = "the same; exponentials overlap products",
     .run_layer = flash2_amx_overlap,
     .weight_error = AMX_WEIGHT_ERROR},
    {.name = "flash2_amx",
     .type = BF16,
     .idea = "the same; a new maximum only if a weight is too large",
     .run_layer = flash2_amx,
     .weight_error = AMX_WEIGHT_ERROR},
    {0},
};

static const attention_step *const flash2_pairs_step = &chapter_06_bf16[0];
static const attention_step *const flash2_amx_step = &chapter_06_bf16[3];

#endif
