/* Chapter 06: the steps whose subject is speed (docs/cpu_speed.md). */
#ifndef FLASH2_SPEED_STEPS_H
#define FLASH2_SPEED_STEPS_H

#include "common/step.h"

/* Fast forms: each SIMD lane computes one query. Traffic is not counted. */
layer_fn flash2_lanes;
layer_fn flash2_simd;
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
