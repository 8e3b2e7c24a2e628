/* Exercise 02: the task is in logsumexp.h. */
#include "logsumexp.h"

#include <math.h>

#include "common/exponential.h"
#include "common/testing/todo.h"

float logsumexp(const float *x, size_t n)
{
    TODO("take the maximum out before the exponentials, put it back after");
    return 0;
}
