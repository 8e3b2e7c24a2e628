/* Exercise 02: the task is in softmax_gradient.h. */
#include "softmax_gradient.h"

#include <math.h>

#include "common/exponential.h"
#include "common/testing/todo.h"

void softmax_gradient(const float *x, const float *g, float *dx, size_t n)
{
    TODO("compute the weights, the weighted mean of g, and g minus the mean");
    for (size_t i = 0; i < n; i++)
        dx[i] = 0;
}
