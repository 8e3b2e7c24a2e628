/* Exercise 06: the task is in emit_logsumexp.h. */
#include "emit_logsumexp.h"

#include <math.h>

#include "common/scores.h"
#include "common/testing/todo.h"

float finish_row(float *o, size_t dv, float m, float l)
{
    TODO("divide o by l, and combine m and l into one number");
    return 0;
}

float weight_again(float s, float L)
{
    TODO("compute the weight of s from L");
    return 0;
}
