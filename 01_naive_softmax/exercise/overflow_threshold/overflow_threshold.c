/* Exercise 01: overflow_threshold.h says what is asked for. */
#include "overflow_threshold.h"

#include <math.h>

#include "common/testing/todo.h"

double overflow_threshold(double (*f)(double x), double low, double high)
{
    TODO("halve the interval from low to high until nothing lies between");
    return low;
}
