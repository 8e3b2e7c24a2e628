/*
 * Exercise 02: ln(e^{x_0} + ... + e^{x_{n-1}}) without overflow (logsumexp.h).
 * make hint-02 E=logsumexp gives a hint.
 */
#include "logsumexp.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/testing/todo.h"

float logsumexp(const float *x, size_t n)
{
    TODO("take the maximum out before the exponentials, put it back after");
    return 0;
}
