/*
 * A block mask: one number for each block of queries and keys. Only
 * flash2_block_mask supports it. docs/variants.md
 */
#ifndef VARIANTS_BLOCK_MASK_H
#define VARIANTS_BLOCK_MASK_H

#include "common/step.h"

typedef struct {
    matrix of;   /* 0 or 1 per block; in a block of 0 no key is attended */
    size_t size; /* queries and keys per block */
} block_mask;

/* flash2, without the tiles in which all blocks are 0. */
int flash2_block_mask(const block_mask *b, const head *h, memory *mem);

/* True if queries i and keys j are in blocks of 0 only. */
bool blocks_are_empty(const block_mask *b, span i, span j);

/* HBM traffic by formula. The block mask itself is not counted. */
counts block_mask_traffic(const block_mask *b, const head *h, tile_sizes t);

/* flash2_block_mask with a block mask that all heads share, as a step. */
typedef struct {
    attention_step step; /* this one runs */
    block_mask blocks;
} step_with_blocks;

/* plain: the step's entry in chapter_06_variants. s must not be moved. */
void add_blocks(step_with_blocks *s, const attention_step *plain,
                block_mask blocks);

#endif
