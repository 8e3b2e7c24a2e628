/* wrong: low + high overflows before f does */
/* message: f was asked about inf */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    for (;;) {
        double middle = (low + high) / 2;

        if (middle == low || middle == high)
            return low;
        if (isfinite(f(middle)))
            low = middle;
        else
            high = middle;
    }
}
