/*
 * A layer: all heads of all batch entries.
 *
 * Query head h attends with key head h / (Hq / Hk):
 *     Hk = Hq   multi-head attention (MHA)
 *     Hk = 1    multi-query attention (MQA): all heads share K and V
 *     between   grouped-query attention (GQA)
 */
#ifndef COMMON_LAYER_H
#define COMMON_LAYER_H

#include "common/head.h"

typedef struct {
    size_t B, Hq, Hk;      /* Hq is a multiple of Hk; if Hk is 0, Hq is 0 */
    size_t mask_B, mask_H; /* mask_B is 1 or B, mask_H 1 or Hq; 1: broadcast */
    bool alibi; /* query head h has slope 2^(-8 (h + 1) / Hq), not each.slope */
    /* The first head. All heads have its sizes, tile sizes and rule, except
     * mask and slope. The arrays of the other heads follow contiguously. m, l
     * and P are absent. Any offset is allowed: head_at clamps it. */
    head each;
} layer;

/* Sets the arrays of a layer from contiguous arrays of all heads. */
void layer_give(layer *l, float *Q, float *K, float *V, float *O, float *L);

layer layer_of(const head *h);

/* Returns the number of heads to run: B Hq, or 0 if Nq is 0. */
size_t heads_of(const layer *l);

/* Returns query head nth % Hq of batch entry nth / Hq. */
head head_at(const layer *l, size_t nth);

/* Returns the head with queries i only. */
head head_of_queries(const head *h, span i);

/* Returns the rule restricted to keys j: columns j of the mask, and an offset
 * relative to key j.first. */
rule rule_of_keys(rule r, span j);

#endif
