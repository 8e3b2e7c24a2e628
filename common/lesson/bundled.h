/* Q, K, V of a real layer, and their scores (common/data/README.md). */
#ifndef COMMON_BUNDLED_H
#define COMMON_BUNDLED_H

#include "common/npy/npy.h"
#include "common/print/outside.h"

#include <unistd.h>

#define BUNDLED_Q "common/data/q.npy"
#define BUNDLED_K "common/data/k.npy"
#define BUNDLED_V "common/data/v.npy"

/* Returns 0 if BUNDLED_Q exists, or 1 after one line on stderr. */
static inline int bundled_missing(void)
{
    if (access(BUNDLED_Q, F_OK) == 0)
        return 0;
    return refused(1, BUNDLED_Q,
                   "not found from here (run this program in the folder that "
                   "contains common/)");
}

/* Computes real scores for the softmax chapters: Q K^T / sqrt(d) of all bundled
 * heads, in an array of shape (1, heads, N, N), which the caller frees with
 * npy_free. Returns 0, or 1 after one line on stderr. */
int bundled_scores(npy_array *scores);

#endif
