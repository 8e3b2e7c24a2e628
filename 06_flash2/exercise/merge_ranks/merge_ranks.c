/* Exercise 06: merge_ranks.h says what is asked for. */
#include "merge_ranks.h"

#include "common/scores.h"
#include "common/matrix.h"
#include "common/testing/todo.h"

void merge_in(float *all, const float *part, size_t dv)
{
    TODO("bring both rows to the larger m, then add them");
}
