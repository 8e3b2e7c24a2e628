/*
 * Both sums are brought to the larger maximum; only then do they add.
 *
 *     m = max(a.m, b.m)
 *     l = a.l e^{a.m - m} + b.l e^{b.m - m}
 */
#include "merge_parts.h"

#include <math.h>

/* e^{from - to}: what a sum is multiplied by when its maximum becomes `to`. */
static float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(from - to); /* not e^{-inf + inf} */
}

part merge_parts(part a, part b)
{
    float m = fmaxf(a.m, b.m);
    float alpha = factor(a.m, m), beta = factor(b.m, m);

    return (part){m, alpha * a.l + beta * b.l};
}
