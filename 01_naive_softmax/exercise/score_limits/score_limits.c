/* Exercise 01: the task is in score_limits.h. */
#include "score_limits.h"

#include <math.h>

#include "common/testing/todo.h"

score_range score_limits(double largest, double smallest, size_t n)
{
    TODO("find x with n e^x = largest, and x with e^x = smallest / 2");
    return (score_range){0, 0};
}
