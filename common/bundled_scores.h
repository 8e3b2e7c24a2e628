/*
 * Rows of real scores for the softmax chapters: Q K^T / sqrt(d) of the bundled
 * attention layer (common/data/README.md).
 */
#ifndef COMMON_BUNDLED_SCORES_H
#define COMMON_BUNDLED_SCORES_H

#include "common/npy.h"

/*
 * The scaled scores, (1, heads, N, N): one row for each head and query. The
 * data is sought in common/data/ of the current directory. Returns 0, or 1
 * after one line on stderr; to be freed with npy_free.
 */
int bundled_scores(npy_array *scores);

#endif
