/*
 * The arrays of an attention problem, from .npy files or random; their shapes
 * are those of attention_shapes.h.
 */
#ifndef COMMON_ATTENTION_ARRAYS_H
#define COMMON_ATTENTION_ARRAYS_H

#include "common/problem/heads.h"
#include "common/npy/npy.h"

#include <stdint.h>

typedef struct {
    npy_array Q, K, V, mask;
    const char *Q_name, *K_name; /* in messages */
    npy_array O, L; /* O has Q's dimensions, L all of them but the last */
    layer problem;  /* its pointers lead into the arrays */
} attention_arrays;

/* Sizes of a random problem, d >= 1; Hq a whole multiple of Hk. */
typedef struct {
    size_t B, Hq, Hk, Nq, Nk, d, dv;
    uint64_t seed;
} random_sizes;

/*
 * Reads Q, K and V and makes room for O and L. The problem's scale is 1 /
 * sqrt(d); it has no softcap, causal limit, mask or tile sizes. Returns 0; 1
 * for what a file holds or for memory; 2 for shapes that do not fit: after one
 * line on stderr. The caller frees, in any case.
 */
int arrays_read(attention_arrays *a, const char *Q, const char *K,
                const char *V);

/* The same of the bundled Q, K and V (common/problem/bundled.h). */
int arrays_bundled(attention_arrays *a);

/*
 * The same with random numbers in place of files. Their rows are peaked, not
 * uniform: unmasked scores have a standard deviation of about 3, and those of
 * half of the queries rise, so that the maximum is still growing at the end.
 */
int arrays_random(attention_arrays *a, const random_sizes *sizes);

/* Adds the mask in that file, which must fit. Returns 0, 1 or 2 as above. */
int arrays_read_mask(attention_arrays *a, const char *path);

/* Frees all; safe to call twice. */
void arrays_free(attention_arrays *a);

#endif
