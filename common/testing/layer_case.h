/*
 * Cases of one shape as the heads of a layer, for a step that takes them all
 * at once: its arrays are new, and as long as they must be. And the heads of any
 * layer as cases, to be judged.
 */
#ifndef COMMON_LAYER_CASE_H
#define COMMON_LAYER_CASE_H

#include "common/testing/attention_check.h"

typedef struct {
    layer l; /* each: as in the first case */
    size_t n;
    float *Q, *K, *V, *mask, *O, *L;
} layer_case;

/* Each `group` of the n cases share K and V, those of the first of them. */
layer_case layer_of_cases(const attention_case cases[], size_t n, size_t group);

/* O and L to the cases; frees the layer. */
void layer_to_cases(layer_case *lc, attention_case cases[]);

/* Fails the running test, and says where, unless O and L of each head of a layer
 * that was run are right. */
void layer_check(const layer *l, const attention_step *s);

#endif
