/* Chapter 06: variants of flash2 (docs/variants.md). */
#ifndef FLASH2_VARIANTS_STEPS_H
#define FLASH2_VARIANTS_STEPS_H

#include "06_flash2/steps.h"

/* mla refuses a head whose V is not the first dv columns of K. block_mask.h and
 * sink.h declare two more variants. */
int lazy_rescale(const head *h, memory *mem);
int paged_kv(const head *h, memory *mem);
int mla(const head *h, memory *mem);
layer_fn cascade;
enum { PAGED_KV_PAGE = 16 }; /* keys per page */
/* Returns the length of the common prefix of all sequences for a query head. */
size_t cascade_prefix(const layer *l, size_t nth);

/* Return the HBM traffic by formula, in elements: of one head in tiles of t, or
 * of all heads in tiles of l->each.tile. */
counts paged_kv_traffic(const head *h, tile_sizes t);
counts mla_traffic(const head *h, tile_sizes t);
counts cascade_traffic(const attention_step *step, const layer *l);

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

#endif
