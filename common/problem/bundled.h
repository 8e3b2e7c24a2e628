/*
 * The bundled Q, K and V of a real attention layer (common/data/README.md),
 * sought from the current folder.
 */
#ifndef COMMON_BUNDLED_H
#define COMMON_BUNDLED_H

#include "common/npy/npy.h"
#include "common/print/outside.h"

#include <unistd.h>

#define BUNDLED_Q "common/data/q.npy"
#define BUNDLED_K "common/data/k.npy"
#define BUNDLED_V "common/data/v.npy"

/* Are they not there? 0, or 1 after one line on stderr. */
static inline int bundled_missing(void)
{
    if (access(BUNDLED_Q, F_OK) == 0)
        return 0;
    return refused(1, BUNDLED_Q,
                   "not found from here (run this program in the folder that "
                   "holds common/)");
}

/* Rows of real scores for the softmax chapters: Q K^T / sqrt(d) of all heads, (1,
 * heads, N, N). Returns 0, or 1 after one line on stderr; npy_free frees. */
int bundled_scores(npy_array *scores);

#endif
