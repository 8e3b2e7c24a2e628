/*
 * What split_kv_simd is made of: the keys of each head in parts, the parts on
 * all cores, and their results merged.
 *
 * A part's result is exact before it is rounded, so it does not matter which
 * thread did it, nor in which order: parts have a fixed number of keys, and
 * the bits of O do not depend on how many threads there are.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_KEY_PARTS_H
#define FLASH2_KEY_PARTS_H

#include "common/layer.h"

/* Keys. A little more than a power of two, or all streams of a part would
 * begin in the same few places of the caches. */
enum { PART = 2064 };

/* What one query got from the keys of a part: O = sum_j p_j v_j, l = sum_j
 * p_j, p_j = e^{s_j} 2^-m; max: of the s_j. */
typedef struct {
    float *O; /* dv */
    float max, m, l;
} partial;

/* Query i of a head against keys j0 .. end - 1, all of which it sees; q is
 * scale times the query. */
typedef void part_kernel(const head *h, const float *q, size_t i, size_t j0,
                         size_t end, partial *p);

/* All heads of the layer. Returns mem->error. */
int attend_parts(part_kernel *attend, const layer *l, memory *mem);

#endif
