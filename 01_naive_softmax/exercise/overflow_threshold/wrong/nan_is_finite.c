/* wrong: asks whether f(x) is infinite, and a NaN is not */
/* message: inf / inf is NaN, and NaN is not finite */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle == low || middle == high)
            return low;
        if (f(middle) != INFINITY)
            low = middle;
        else
            high = middle;
    }
}
