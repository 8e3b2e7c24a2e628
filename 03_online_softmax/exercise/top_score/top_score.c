/* Exercise 03: the task is in top_score.h. */
#include "top_score.h"

#include <math.h>

#include "common/testing/todo.h"

top top_score(score_fn *score, size_t n)
{
    TODO("one pass: the maximum, its index, and the sum of e^{x - m}");
    return (top){-INFINITY, n, 0};
}
