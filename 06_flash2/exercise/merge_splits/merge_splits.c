/* Exercise 06: the task is in merge_splits.h. */
#include "merge_splits.h"

#include "common/scores.h"
#include "common/testing/todo.h"

float merge_splits(float *o, matrix O, const float *L)
{
    TODO("compute from L[k] the share of part k in all weights");
    for (size_t c = 0; c < O.cols; c++)
        o[c] = 0;
    return 0;
}
