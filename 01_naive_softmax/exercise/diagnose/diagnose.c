/* Exercise 01: the task is in diagnose.h. */
#include "diagnose.h"

#include <math.h>
#include <stdbool.h>

#include "common/testing/todo.h"

diagnosis diagnose(const float *x, size_t n)
{
    TODO("do what naive softmax does, and look at every number on the way");
    return WORKS;
}
