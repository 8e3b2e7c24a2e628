/* wrong: e^{-inf - -inf} when both parts are masked */
/* message: two masked parts are a masked part: -inf - -inf is NaN */
#include "merge_parts.h"

#include <math.h>

part merge_parts(part a, part b)
{
    float m = fmaxf(a.m, b.m);

    return (part){m, a.l * expf(a.m - m) + b.l * expf(b.m - m)};
}
