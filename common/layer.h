/*
 * All heads of a layer, over a batch. A layer is cut into the heads on which
 * kernels run.
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
    size_t B, Hq, Hk;      /* Hq a multiple of Hk; both 0, or neither */
    size_t mask_B, mask_H; /* mask shape: 1 or B, 1 or Hq; 1 is broadcast */
    bool alibi; /* query head h has slope 2^(-8 (h + 1) / Hq), not each.slope */
    /* Sizes, rule and tiles of all heads. Its arrays are those of the first
     * head; those of the other heads follow contiguously. A layer has no m, l
     * and P. Any offset is allowed: head_at clamps it. */
    head each;
} layer;

/* Sets the arrays of a layer whose sizes are set. Each pointer is to the first
 * head's array; those of the other heads follow contiguously. */
void layer_give(layer *l, float *Q, float *K, float *V, float *O, float *L);

/* Returns a layer of one head. */
layer layer_of(const head *h);

/* Returns the number of heads to run: B Hq, or 0 if O and L are empty. */
size_t heads_of(const layer *l);

/* Returns query head nth % Hq of batch entry nth / Hq. */
head head_at(const layer *l, size_t nth);

/* Returns the head restricted to queries i. */
head head_of_queries(const head *h, span i);

/* Returns the rule of keys j, with the mask cut to them. */
rule rule_of_keys(rule r, span j);

#endif
