/*
 * Solves n e^x = largest and e^x = smallest / 2 for x. It subtracts logarithms,
 * because smallest / 2 is 0 in fp64.
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
