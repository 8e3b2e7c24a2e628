/* A block mask: one number for each block of queries and keys.
 * docs/variants.md */
#ifndef VARIANTS_BLOCK_MASK_H
#define VARIANTS_BLOCK_MASK_H

#include "common/step.h"

typedef struct {
    matrix of;   /* 1 or 0 per block; 0 masks all pairs of the block */
    size_t size; /* queries and keys per block */
} block_mask;

/* Computes O and L of a head. Skips tiles in which all blocks are 0. */
int flash2_block_mask(const block_mask *b, const head *h, memory *mem);

/* True if all blocks of queries i and keys j are 0. */
bool blocks_are_empty(const block_mask *b, span i, span j);

/* Returns the HBM traffic of one head, without reads of the block mask. */
counts block_mask_traffic(const block_mask *b, const head *h, tile_sizes t);

/* All heads share the block mask. */
typedef struct {
    attention_step step;
    block_mask blocks;
} step_with_blocks;

/* Sets *s to a step that runs flash2_block_mask with these blocks. plain is
 * block_mask_step. Callers run &s->step: a copy of it has no block mask. */
void add_blocks(step_with_blocks *s, const attention_step *plain,
                block_mask blocks);

#endif
