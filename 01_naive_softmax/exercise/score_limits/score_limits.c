/* Exercise 01: the task is in score_limits.h. */
#include "score_limits.h"

#include <math.h>

#include "common/testing/todo.h"

score_range score_limits(double largest, double smallest, size_t n)
{
    TODO("for which x is n e^x just the largest, and e^x half the smallest?");
    return (score_range){0, 0};
}
