/*
 * n e^x = largest, and e^x = smallest / 2, solved for x. The quotients are
 * taken as differences of logarithms: half of fp64's smallest number is 0.
 */
#include "score_limits.h"

#include <math.h>

score_range score_limits(double largest, double smallest, size_t n)
{
    score_range r;

    r.lowest = log(smallest) - log(2);
    r.highest = log(largest) - log((double)n);
    return r;
}
