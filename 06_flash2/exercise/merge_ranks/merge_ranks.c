/* Exercise 06: the task is in merge_ranks.h. */
#include "merge_ranks.h"

#include "common/scores.h"
#include "common/testing/todo.h"

void merge_in(float *all, const float *part, size_t dv)
{
    TODO("rescale both rows to the larger m, then add them");
}
