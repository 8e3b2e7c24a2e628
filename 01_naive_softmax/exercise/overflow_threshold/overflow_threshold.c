/*
 * Exercise 01: the largest x for which f(x) is finite, by bisection
 * (overflow_threshold.h). make hint-01 E=overflow_threshold gives a hint.
 */
#include "overflow_threshold.h"

#include <math.h>

#include "common/testing/todo.h"

double overflow_threshold(double (*f)(double x), double low, double high)
{
    TODO("halve the interval from low to high until nothing lies between");
    return low;
}
