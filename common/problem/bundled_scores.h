/*
 * Rows of real scores for the softmax chapters: Q K^T / sqrt(d) of the bundled
 * attention layer (common/data/README.md).
 */
#ifndef COMMON_BUNDLED_SCORES_H
#define COMMON_BUNDLED_SCORES_H

#include "common/npy/npy.h"

/*
 * The scaled scores, (1, heads, N, N): one row for each head and query. The
 * data is sought in common/data/ of the current directory. Returns 0, or 1
 * after one line on stderr; to be freed with npy_free.
 */
int bundled_scores(npy_array *scores);

/*
 * What the lessons of chapters 01 and 02 do to the scores. Adding a number
 * changes no weight in exact arithmetic.
 */
typedef struct {
    const char *name;
    float times, plus;
} score_change;

#define SCORE_CHANGES 5
extern const score_change score_changes[SCORE_CHANGES];

/* y = c.times x + c.plus for n scores. */
void change_scores(score_change c, const float *x, float *y, size_t n);

#endif
