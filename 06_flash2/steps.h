/*
 * Chapter 06: FlashAttention-2, one change at a time.
 */
#ifndef FLASH2_STEPS_H
#define FLASH2_STEPS_H

#include "common/step.h"

/* flash1 with one division at the end. */
int flash2_deferred(const head *h, memory *mem);
/* Outer loop over queries, inner loop over keys; O, m, l stay on chip. */
int flash2(const head *h, memory *mem);
/* Threads take (head, query block) pairs; O and L equal flash2's bitwise. */
layer_fn flash2_parallel;
/* Fast forms: each SIMD lane computes one query. Traffic is not counted. */
layer_fn flash2_lanes;
layer_fn flash2_simd;
/* Threads take parts of the keys; the partial results are merged at the end. */
int split_kv(const head *h, memory *mem);
/* Fast split_kv, memory-bound; passes many queries to flash2_simd. */
layer_fn split_kv_simd;
enum { FEW_QUERIES = 16 }; /* with more, flash2_simd is faster */

/*
 * Use bf16 on a matrix unit (AMX or a model of it). flash2_amx_overlap overlaps
 * products and exponentials; flash2_amx also finds a maximum only if needed.
 * All take causal limits, windows, d and dv up to 256, and refuse other rules.
 */
layer_fn flash2_amx_plain;
layer_fn flash2_amx_overlap;
layer_fn flash2_amx;
/* True if flash2_amx is the fastest step for bf16 inputs: it supports the rules
 * and sizes, there are more than 16 queries, and the CPU has AMX or
 * FLASH2_TILES is in the environment. */
bool flash2_amx_suits(const layer *l);

/*
 * Variants of flash2 (variants/, docs/variants.md). lazy_rescale rescales less
 * often. paged_kv reads K and V from pages. mla requires that V is the first
 * columns of K. cascade is for a batch whose sequences begin with the same
 * keys. block_mask.h and sink.h declare two more.
 */
int lazy_rescale(const head *h, memory *mem);
int paged_kv(const head *h, memory *mem);
int mla(const head *h, memory *mem);
layer_fn cascade;
enum { PAGED_KV_PAGE = 16 }; /* keys per page */
/* Returns the number of first keys that all sequences share, for query head
 * nth. */
size_t cascade_prefix(const layer *l, size_t nth);

/*
 * Return h->tile if it is set. Otherwise flash2_deferred uses flash1's rule.
 * The others swap Br and Bc: Br = floor(M / (2 (d + dv))), Bc = min(Br, d),
 * each at least 1. The traffic depends on Br alone.
 */
tile_sizes flash2_deferred_tiles(const head *h, size_t M);
tile_sizes flash2_tiles(const head *h, size_t M);

/* Returns keys per part: the smallest multiple of Bc for at most 8 parts. */
size_t split_kv_keys(const head *h, tile_sizes t);

/* HBM traffic by formula (traffic.c). */
counts flash2_deferred_traffic(const head *h, tile_sizes t);
counts flash2_traffic(const head *h, tile_sizes t);
counts split_kv_traffic(const head *h, tile_sizes t);
/* The same for variants. cascade_traffic returns the traffic of all heads, with
 * tiles of size l->each.tile. */
counts paged_kv_traffic(const head *h, tile_sizes t);
counts mla_traffic(const head *h, tile_sizes t);
counts cascade_traffic(const attention_step *step, const layer *l);

/* --trace: prints the toy problem step by step; returns an exit code. */
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
     .idea = "one SIMD lane, one query, in plain C",
     .run_layer = flash2_lanes},
    {.name = "flash2_simd",
     .idea = "the same with register tiles: the machine's speed",
     .run_layer = flash2_simd},
    {.name = "split_kv",
     .idea = "few queries: the keys in parts, merged",
     .run = split_kv,
     .tiles = flash2_tiles,
     .formula = split_kv_traffic},
    {.name = "split_kv_simd",
     .idea = "the same with vectors: the memory's speed",
     .run_layer = split_kv_simd},
    {0},
};

static const attention_step *const flash2_step = &chapter_06_steps[1];

/* Not in the lesson's tables. */
static const attention_step chapter_06_variants[] = {
    {.name = "lazy_rescale",
     .idea = "flash2; m stays while it grows by no more than ln 256",
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
     .idea = "flash2; a batch reads its common beginning once",
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

/* The largest relative error of a weight: 2^-8 from rounding it to bf16, and
 * 2.1e-3 from the exponential. */
#define AMX_WEIGHT_ERROR (0x1p-8f + 2.1e-3f)

/* The steps in bf16. */
static const attention_step chapter_06_amx[] = {
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
     .idea = "the same; a maximum only if the weights outgrow it",
     .run_layer = flash2_amx,
     .weight_error = AMX_WEIGHT_ERROR},
    {0},
};

#endif
