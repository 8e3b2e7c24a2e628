/*
 * The arrays of an attention problem, from .npy files or random, and whether
 * their shapes fit together: Q is (B, Hq, Nq, d), K (B, Hk, Nk, d), V (B, Hk,
 * Nk, dv); three dimensions mean B = 1, two mean one head as well. A mask is
 * (B or 1, Hq or 1, Nq, Nk), or has fewer leading dimensions.
 */
#ifndef COMMON_ATTENTION_ARRAYS_H
#define COMMON_ATTENTION_ARRAYS_H

#include "common/npy/npy.h"
#include "common/layer.h"

#include <stdint.h>

/* --- Sizes ----------------------------------------------------------------- */

/* Of a problem; of a random one, with a seed. */
typedef struct {
    size_t B, Hq, Hk, Nq, Nk, d, dv;
    uint64_t seed;
} random_sizes;

/*
 * Before anything is computed from them: do key heads share query heads evenly,
 * and can all be counted that a step moves? Then no sum or product of sizes in
 * this project wraps. 0, or 2 after one line on stderr.
 */
int check_sizes(const random_sizes *sizes);

enum { BATCH, HEADS, ROWS, COLS, ATTENTION_DIMS };

/* --- Arrays ---------------------------------------------------------------- */

typedef struct {
    npy_array Q, K, V, mask, sink, blocks;
    const char *Q_name, *K_name; /* in messages */
    npy_array O, L;   /* O has Q's dimensions, L all of them but the last */
    uint16_t *narrow; /* K and V in 16 bits, or NULL */
    layer layer;      /* its pointers lead into the arrays */
} attention_arrays;

/*
 * Reads Q, K and V, the last two of fp32 or of that type, and makes room for O
 * and L. The problem's scale is 1 / sqrt(d); it has no softcap, causal limit,
 * mask or tile sizes. Returns 0; 1 for what a file holds or for memory; 2 for
 * shapes that do not fit: after one line on stderr. The caller frees, in any
 * case.
 */
int arrays_read(attention_arrays *a, precision KV_type, const char *Q,
                const char *K, const char *V);

/* The same of the bundled Q, K and V (common/problem/bundled.h). */
int arrays_bundled(attention_arrays *a);

/*
 * The same with random numbers in place of files. Their rows are peaked, not
 * uniform: unmasked scores have a standard deviation of about 3, and those of
 * half of the queries rise, so that the maximum is still growing at the end.
 */
int arrays_random(attention_arrays *a, const random_sizes *sizes);

/* Rounds K and V to the type and adds them in its 16 bits, for the steps that
 * read these. Returns 0, or 1 after one line on stderr. */
int arrays_narrow(attention_arrays *a, precision type);

/* Adds the mask in that file, which must fit. Returns 0, 1 or 2 as above. */
int arrays_read_mask(attention_arrays *a, const char *path);

/* The same of Hq sinks: the logits in a file, or one finite number for all. */
int arrays_read_sink(attention_arrays *a, const char *text);

/* The same of a block mask: a 0 or 1 for each size x size block of scores, the
 * last ones cut off by Nq and Nk. All heads share it. */
int arrays_read_blocks(attention_arrays *a, const char *path, size_t size);

/* Frees all; safe to call twice. */
void arrays_free(attention_arrays *a);

#endif
