/* wrong: stops when the interval is small, though numbers lie in it */
/* message: is finite too: the bisection stopped early */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    while (high - low > 1e-6) {
        double middle = low + (high - low) / 2;

        if (isfinite(f(middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}
