/* wrong: waits for low and high to meet, but they become neighbours */
/* message: the bisection does not end */
#include "overflow_threshold.h"

#include <math.h>

double overflow_threshold(double (*f)(double x), double low, double high)
{
    while (low < high) {
        double middle = low + (high - low) / 2;

        if (isfinite(f(middle)))
            low = middle;
        else
            high = middle;
    }
    return low;
}
