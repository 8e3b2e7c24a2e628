/*
 * Rescales both sums to the larger maximum, and adds them.
 *
 *     m = max(a.m, b.m)
 *     l = a.l e^{a.m - m} + b.l e^{b.m - m}
 */
#include "merge_parts.h"

#include <math.h>

part merge_parts(part a, part b)
{
    float m = fmaxf(a.m, b.m);
    /* if both maxima are -inf, expf(-inf + inf) is NaN */
    float alpha = a.m == -INFINITY ? 0 : expf(a.m - m);
    float beta = b.m == -INFINITY ? 0 : expf(b.m - m);

    return (part){m, alpha * a.l + beta * b.l};
}
