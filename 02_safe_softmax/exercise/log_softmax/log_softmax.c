/* Exercise 02: the task is in log_softmax.h. */
#include "log_softmax.h"

#include <math.h>

#include "common/exponential.h"
#include "common/testing/todo.h"

void log_softmax(const float *x, float *y, size_t n)
{
    TODO("compute the maximum m, the sum l of e^{x - m}, then a difference");
    for (size_t i = 0; i < n; i++)
        y[i] = 0;
}
