/*
 * Do the shapes of Q, K, V and a mask fit together? Q is (B, Hq, Nq, d), K (B,
 * Hk, Nk, d), V (B, Hk, Nk, dv); three dimensions mean B = 1, two mean one
 * head as well. A mask is (B or 1, Hq or 1, Nq, Nk), or has fewer leading
 * dimensions.
 */
#ifndef COMMON_ATTENTION_SHAPES_H
#define COMMON_ATTENTION_SHAPES_H

#include "common/npy/npy.h"

enum { BATCH, HEADS, ROWS, COLS, ATTENTION_DIMS };

/* An array, the name that messages give it, and all four sizes. */
typedef struct {
    const char *name;
    const npy_array *array;
    size_t shape[ATTENTION_DIMS]; /* leading ones that it lacks are 1 */
} shaped;

shaped shape_of(const char *name, const npy_array *array);

/* Each returns 0, or 2 after one line on stderr with the shapes. */
int check_qkv(const shaped *Q, const shaped *K, const shaped *V);
int check_mask(const shaped *mask, const shaped *Q, const shaped *K);

#endif
