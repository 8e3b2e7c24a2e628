/* Exercise 01: the task is in diagnose.h. */
#include "diagnose.h"

#include <math.h>
#include <stdbool.h>

#include "common/testing/todo.h"

diagnosis diagnose(const float *x, size_t n)
{
    TODO("compute what naive softmax computes, and check every number");
    return WORKS;
}
