/*
 * Bisection, until no double is between low and high.
 *
 * Throughout, f(low) is finite and f(high) is not. The threshold is the last
 * low: the next double is high.
 */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    for (;;) {
        double middle = low + (high - low) / 2; /* low + high may overflow */

        if (middle == low || middle == high)
            return low;
        if (isfinite(f(middle)))
            low = middle;
        else
            high = middle;
    }
}
