/* Exercise 02: the task is in logsumexp.h. */
#include "logsumexp.h"

#include <math.h>

#include "common/exponential.h"
#include "common/testing/todo.h"

float logsumexp(const float *x, size_t n)
{
    TODO("subtract the maximum in the exponents, add it at the end");
    return 0;
}
