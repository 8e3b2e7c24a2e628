/* wrong: gives the first x that overflows, not the last that does not */
/* message: is not finite: the answer is one too far */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    for (;;) {
        double middle = low + (high - low) / 2;

        if (middle == low || middle == high)
            return high;
        if (isfinite(f(middle)))
            low = middle;
        else
            high = middle;
    }
}
