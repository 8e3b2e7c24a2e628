/* Converts cases of one shape to the heads of a layer, and back. */
#ifndef COMMON_LAYER_CASE_H
#define COMMON_LAYER_CASE_H

#include "common/testing/attention_check.h"

typedef struct {
    layer l; /* sizes and rule are those of the first case */
    size_t n;
    float *Q, *K, *V, *mask, *O, *L;
} layer_case;

/* Returns a layer of n cases. Each group of `group` consecutive cases shares K
 * and V of its first case. */
layer_case layer_of_cases(const attention_case cases[], size_t n, size_t group);

/* Copies O and L to the cases and frees the layer. */
void layer_to_cases(layer_case *lc, attention_case cases[]);

/* Checks O and L of each head, after a step has run on the layer. */
void layer_check(const layer *l, const attention_step *s);

#endif
