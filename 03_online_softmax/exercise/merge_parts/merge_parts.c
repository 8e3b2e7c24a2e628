/* Exercise 03: the task is in merge_parts.h. */
#include "merge_parts.h"

#include <math.h>

#include "common/testing/todo.h"

part merge_parts(part a, part b)
{
    TODO("rescale both sums to the larger maximum, then add them");
    return a;
}
