/*
 * Exercise 03: two parts (m, l) of a row become one (merge_parts.h).
 * make hint-03 E=merge_parts gives a hint.
 */
#include "merge_parts.h"

#include <math.h>

#include "common/testing/todo.h"

part merge_parts(part a, part b)
{
    TODO("bring both sums to the larger maximum, then add them");
    return a;
}
