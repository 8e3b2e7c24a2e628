/*
 * Runs split_kv_simd. A part has a fixed number of keys, so the bits of O do
 * not depend on the number of threads. docs/cpu_speed.md
 */
#ifndef FLASH2_KEY_PARTS_H
#define FLASH2_KEY_PARTS_H

#include "common/layer.h"

/* Keys of a part. With a power of two, all streams of a part would begin in the
 * same few cache sets. */
enum { PART = 2064 };

/* The state of one query after the keys j of a part. The weight of key j is
 * p_j = e^{s_j} 2^-m. */
typedef struct {
    float *O;  /* sum_j p_j v_j, dv numbers */
    float max; /* the largest s_j */
    float m;   /* max / ln 2, rounded to an integer */
    float l;   /* sum_j p_j */
} partial;

/* Computes the state *p of query i after the visible keys j0 to end - 1. q is
 * scale times the query. The caller sets p->O and p->l to 0. */
typedef void part_kernel(const head *h, const float *q, size_t i, size_t j0,
                         size_t end, partial *p);

/* Computes O and L of all heads on all cores. Returns mem->error. */
int attend_parts(part_kernel *attend, const layer *l, memory *mem);

#endif
