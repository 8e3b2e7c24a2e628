/*
 * Functions of the fast steps: blocks of queries, spread over all cores.
 *
 * A fast kernel computes one block at a time. Its thread reuses the tiles for
 * the next block: a block takes microseconds, so a malloc would show in the
 * time. The kernel has no code for NaN, infinities and scores beyond its range.
 * It detects them at the end, and flash2 computes that block again. So the
 * common case stays fast.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_QUERY_BLOCKS_H
#define FLASH2_QUERY_BLOCKS_H

#include <math.h>
#include <stdint.h>

#include "common/layer.h"

#define ALIGNMENT 64 /* bytes: a cache line, and the widest vector */

/* Returns the first aligned address in p, or after it. */
static inline float *aligned(float *p)
{
    return p + (-(uintptr_t)p % ALIGNMENT) / sizeof *p;
}

typedef struct {
    /* Computes O and L of a head of at most `queries` queries. tile: scratch of
     * (d + dv + keys) x queries floats, aligned to 64 bytes. next: the thread's
     * next head, to prefetch. Returns true if O and L are right. */
    bool (*attend)(const head *h, const head *next, float *tile);
    size_t queries, keys;
} block_kernel;

/* Computes all heads of the layer, block by block. Returns mem->error. */
int attend_blocks(const block_kernel *kernel, const layer *l, memory *mem);

/* Computes O and L of a head by flash2, in its own memory. Counts a fallback in
 * mem, and copies an error to mem. */
void by_flash2(const head *h, memory *mem);

/* True if all types of the head are fp32. The fast steps support only fp32;
 * flash2 rounds to other types. */
static inline bool in_fp32(const head *h)
{
    return h->P_type == FP32 && h->O.type == FP32 && h->L.type == FP32;
}

/* Returns the final score of query i and key j from the scaled one. */
static inline float bent_score(const head *h, float s, size_t i, size_t j)
{
    matrix mask = h->rule.mask.hbm;
    float added = mask.data ? row(mask, i)[j] : 0;

    if (!visible(h, one(i), one(j)) || added == -INFINITY)
        return -INFINITY;
    return final_score(&h->rule, s, i, j, added);
}

#endif
