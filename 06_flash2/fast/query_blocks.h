/*
 * Runs a fast kernel on all blocks of queries of a layer, on all cores. A
 * thread allocates the kernel's tiles once: a malloc per block would show in
 * the timing. The kernel has no code for NaN, infinities and scores out of its
 * range. It detects them, and flash2 computes the block again.
 * docs/cpu_speed.md
 */
#ifndef FLASH2_QUERY_BLOCKS_H
#define FLASH2_QUERY_BLOCKS_H

#include <math.h>
#include <stdint.h>

#include "common/layer.h"

#define ALIGNMENT 64 /* bytes of a cache line and of the widest vector */

static inline float *aligned(float *p)
{
    return p + (-(uintptr_t)p % ALIGNMENT) / sizeof *p;
}

typedef struct {
    /* Computes O and L of h, which has at most `queries` queries. tile is a
     * buffer of (d + dv + keys) x queries floats, aligned to 64 bytes. The
     * kernel may prefetch `next`. Returns false if flash2 must compute h. */
    bool (*attend)(const head *h, const head *next, float *tile);
    size_t queries; /* queries per block */
    size_t keys;    /* keys per tile */
} block_kernel;

/* Computes O and L of all heads on all cores. Returns mem->error. */
int attend_blocks(const block_kernel *kernel, const layer *l, memory *mem);

/* Runs flash2 in a separate memory, with Q, K and V rounded to the type. Arrays
 * may have only 16 bits. Counts a fallback in mem. */
void by_flash2(const head *h, precision type, memory *mem);

/* True if the array has its elements only in 16 bits. */
static inline bool only_narrow(const array *a)
{
    return a->narrow && !a->hbm.data;
}

/* True if P, O and L have the type fp32, as the fast steps need. */
static inline bool in_fp32(const head *h)
{
    return h->P_type == FP32 && h->O.type == FP32 && h->L.type == FP32;
}

/* Applies softcap, ALiBi and mask to the scaled score s. Returns -inf if query
 * i does not see key j. */
static inline float bent_score(const head *h, float s, size_t i, size_t j)
{
    matrix mask = h->rule.mask.hbm;
    float added = mask.data ? row(mask, i)[j] : 0;

    if (!visible(h, one(i), one(j)) || added == -INFINITY)
        return -INFINITY;
    return final_score(&h->rule, s, i, j, added);
}

#endif
