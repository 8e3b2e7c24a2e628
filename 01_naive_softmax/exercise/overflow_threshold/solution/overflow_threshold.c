/*
 * Halves the interval until no double is between low and high.
 *
 * f(low) is always finite, and f(high) never is. At the end high is the next
 * double after low, so low is the threshold.
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
