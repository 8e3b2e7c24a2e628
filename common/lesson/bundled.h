/* Q, K, V of a real layer, and their scores (common/data/README.md). */
#ifndef COMMON_BUNDLED_H
#define COMMON_BUNDLED_H

#include "common/npy/npy.h"

#define BUNDLED_Q "common/data/q.npy"
#define BUNDLED_K "common/data/k.npy"
#define BUNDLED_V "common/data/v.npy"

/* Returns 0 if BUNDLED_Q exists, or 1 after one line on stderr. */
int bundled_missing(void);

/* Computes real scores for the softmax chapters: Q K^T / sqrt(d) of all bundled
 * heads, in an array of shape (1, heads, N, N), which the caller frees with
 * npy_free. Returns 0, or 1 after one line on stderr. */
int bundled_scores(npy_array *scores);

#endif
