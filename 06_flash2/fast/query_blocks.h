/*
 * What the fast steps share: blocks of queries, spread over all cores.
 *
 * A fast kernel computes one block at a time, in tiles that its thread keeps
 * from one block to the next: where a block takes microseconds, a malloc does
 * not go unnoticed. And it leaves the rare out: a NaN, an infinity, a score
 * beyond what it can hold. It notices at the end that there was one, and then
 * flash2 does that block again. So the common case pays for none of it.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_QUERY_BLOCKS_H
#define FLASH2_QUERY_BLOCKS_H

#include <math.h>

#include "common/layer.h"

typedef struct {
    /* O and L of a head of at most `queries` queries; tile: its own, of (d +
     * dv + keys) x queries floats, aligned to 64 bytes; next: what its thread
     * is likely to do next, to prefetch it. Are O and L right? */
    bool (*attend)(const head *h, const head *next, float *tile);
    size_t queries, keys;
} block_kernel;

/* All heads of the layer, a block at a time. Returns mem->error. */
int attend_blocks(const block_kernel *kernel, const layer *l, memory *mem);

/* Computes O and L of a head by flash2, in its own memory. Counts a fallback in
 * mem, and copies an error to mem. */
void by_flash2(const head *h, memory *mem);

/* The fast steps have fp32 only; flash2 rounds to the types of the head. */
static inline bool in_fp32(const head *h)
{
    return h->P_type == FP32 && h->O.type == FP32 && h->L.type == FP32;
}

/* The final score of query i and key j from the scaled one. */
static inline float bent_score(const head *h, float s, size_t i, size_t j)
{
    matrix mask = h->rule.mask.hbm;
    float added = mask.data ? row(mask, i)[j] : 0;

    if (!visible(h, one(i), one(j)) || added == -INFINITY)
        return -INFINITY;
    return final_score(&h->rule, s, i, j, added);
}

#endif
