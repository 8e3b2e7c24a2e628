/*
 * The parts of split_kv_simd: divides the keys of each head into parts,
 * computes the parts on all cores, and merges their results.
 *
 * Parts have a fixed number of keys. So the bits of O do not depend on the
 * number of threads, or on the thread that computes a part.
 *
 * docs/cpu_speed.md
 */
#ifndef FLASH2_KEY_PARTS_H
#define FLASH2_KEY_PARTS_H

#include "common/layer.h"

/* Keys per part: a little more than a power of two. Otherwise all streams of a
 * part would begin in the same few cache sets. */
enum { PART = 2064 };

/* The state of one query after the keys of a part: O = sum_j p_j v_j,
 * l = sum_j p_j, with p_j = e^{s_j} 2^-m; max is the maximum of s_j. */
typedef struct {
    float *O; /* dv */
    float max, m, l;
} partial;

/* Computes the state of query i for keys j0 .. end - 1, all of which it sees. q
 * is scale times the query. */
typedef void part_kernel(const head *h, const float *q, size_t i, size_t j0,
                         size_t end, partial *p);

/* Computes all heads of the layer. Returns mem->error. */
int attend_parts(part_kernel *attend, const layer *l, memory *mem);

#endif
