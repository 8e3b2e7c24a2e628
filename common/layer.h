/*
 * All heads of a layer, over a batch: what a program reads and writes at once,
 * and what is cut into the heads that kernels are handed.
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
    size_t mask_B, mask_H; /* of the mask: 1 or B, 1 or Hq; 1 serves all */
    bool alibi; /* query head h has slope 2^(-8 (h + 1) / Hq), not each.slope */
    /* What all heads have alike: sizes, the scores' rule, tiles. Its arrays are
     * the first head's, behind which those of the others lie; so do the logits
     * of Hq sinks; but a layer has no m, l and P. Any offset: a head gets what
     * of it makes a difference. */
    head each;
} layer;

/* Gives a layer with sizes its arrays: those of the first head are said where
 * they begin, the others lie behind. */
void layer_give(layer *l, float *Q, float *K, float *V, float *O, float *L);

/* One head as a layer. */
layer layer_of(const head *h);

/* How many heads there are to run: B Hq, or 0 where O and L are empty. */
size_t heads_of(const layer *l);

/* Query head nth % Hq of batch entry nth / Hq. */
head head_at(const layer *l, size_t nth);

/* The head with only some of its queries. */
head head_of_queries(const head *h, span i);

#endif
