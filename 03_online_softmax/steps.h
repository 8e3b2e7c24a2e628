/* Chapter 03: computes maximum and sum in one pass. */
#ifndef ONLINE_SOFTMAX_STEPS_H
#define ONLINE_SOFTMAX_STEPS_H

#include "common/softmax_row.h"

/* The state of a block of scores x: m = max x, l = sum e^{x - m}. */
typedef struct {
    float m, l;
} softmax_state;

/*
 * Returns the state of two blocks together. merge is commutative and, up to
 * rounding, associative. Its identity is (-inf, 0). If l of a or b is NaN, l of
 * the result is NaN.
 */
softmax_state merge(softmax_state a, softmax_state b);

/* Two passes: the first for maximum and sum, the second for the weights. */
void online_softmax(softmax_row *r);
/* Like online_softmax, with r->block elements at a time. */
void merged_softmax(softmax_row *r);

static const softmax_step chapter_03_steps[] = {
    {"online_softmax", "maximum and sum in one pass", online_softmax},
    {"merged_softmax", "the same, block by block: (m, l) + (m~, l~)",
     merged_softmax},
    {0},
};

#endif
