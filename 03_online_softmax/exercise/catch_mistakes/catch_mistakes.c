/* Exercise 03: the task is in catch_mistakes.h. */
#include "catch_mistakes.h"

#include <math.h>

#include "common/testing/todo.h"

int finds_mistake(softmax_function *softmax)
{
    floats p = softmax((floats){2, {1, 1}});

    TODO("compare the weights with the right ones, for more rows");
    return p.x[0] != 0.5f;
}
