/*
 * e4m3 by its definition (e4m3.h).
 */
#include "07_cuda/fp8/e4m3.h"

#include <math.h>

double e4m3_value(unsigned code)
{
    int e = (int)(code >> 3 & 15), n = (int)(code & 7);
    double size = e ? ldexp(8 + n, e - 10) : ldexp(n, -9);

    if ((code & 127) == 127)
        return (double)NAN;
    return code & 128 ? -size : size;
}

/* Positive codes are in the order of their values: halves the interval. */
unsigned e4m3_code(double x)
{
    unsigned low = 0, high = 126;
    double size = fabs(x), middle;

    if (isnan(x))
        return 127;
    while (high - low > 1) {
        unsigned half = (low + high) / 2;

        *(e4m3_value(half) <= size ? &low : &high) = half;
    }
    middle = (e4m3_value(low) + e4m3_value(high)) / 2;
    if (size > middle || (size == middle && low % 2))
        low = high;
    return low + (signbit(x) ? 128 : 0);
}
