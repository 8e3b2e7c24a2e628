/* Exercise 03: the task is in parts_in_any_order.h. */
#include "parts_in_any_order.h"

#include <math.h>

#include "common/exponential.h"
#include "common/testing/todo.h"

float logsumexp_of_parts(const part *parts, size_t n)
{
    TODO("merge all parts into one (m, l), then return m + ln l");
    return 0;
}
