/*
 * Runs a fast kernel on all blocks of queries of a layer, on all cores.
 *
 * A fast kernel computes one block of queries at a time. A thread allocates the
 * kernel's tiles once and uses them for all its blocks: a block takes
 * microseconds, so a malloc per block would show in the timing. The kernel is
 * fast because it has no code for NaN, infinities and scores out of its range.
 * It detects them at the end of a block, and flash2 computes the block again.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_QUERY_BLOCKS_H
#define FLASH2_QUERY_BLOCKS_H

#include <math.h>
#include <stdint.h>

#include "common/layer.h"

#define ALIGNMENT 64 /* bytes of a cache line and of the widest vector */

/* Returns the first address from p on that is a multiple of ALIGNMENT. */
static inline float *aligned(float *p)
{
    return p + (-(uintptr_t)p % ALIGNMENT) / sizeof *p;
}

typedef struct {
    /* Computes O and L of h, which has at most `queries` queries. tile is a
     * buffer of (d + dv + keys) x queries floats, aligned to 64 bytes. The
     * kernel may prefetch `next`, which this thread probably computes next.
     * Returns false if flash2 must compute O and L again. */
    bool (*attend)(const head *h, const head *next, float *tile);
    size_t queries; /* queries per block */
    size_t keys;    /* keys per tile */
} block_kernel;

/* Computes O and L of all heads of the layer. Returns mem->error. */
int attend_blocks(const block_kernel *kernel, const layer *l, memory *mem);

/* Computes O and L of h with flash2, in a separate memory. Counts a fallback in
 * mem, and copies an error to mem. */
void by_flash2(const head *h, memory *mem);

/* True if P, O and L of the head are fp32. The fast steps support only fp32.
 * flash2 can round to other types. */
static inline bool in_fp32(const head *h)
{
    return h->P_type == FP32 && h->O.type == FP32 && h->L.type == FP32;
}

/* Returns the final score of query i and key j from the scaled score s. Applies
 * softcap, ALiBi and mask. Returns -inf if query i does not see key j. */
static inline float bent_score(const head *h, float s, size_t i, size_t j)
{
    matrix mask = h->rule.mask.hbm;
    float added = mask.data ? row(mask, i)[j] : 0;

    if (!visible(h, one(i), one(j)) || added == -INFINITY)
        return -INFINITY;
    return final_score(&h->rule, s, i, j, added);
}

#endif
