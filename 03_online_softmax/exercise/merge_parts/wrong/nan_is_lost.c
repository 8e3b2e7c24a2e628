/* wrong: a part with m = -inf is skipped, with the NaN that it holds */
/* message: a NaN with m = -inf is lost */
#include "merge_parts.h"

#include <math.h>

part merge_parts(part a, part b)
{
    if (a.m == -INFINITY)
        return b;
    if (b.m == -INFINITY)
        return a;

    float m = fmaxf(a.m, b.m);

    return (part){m, a.l * expf(a.m - m) + b.l * expf(b.m - m)};
}
