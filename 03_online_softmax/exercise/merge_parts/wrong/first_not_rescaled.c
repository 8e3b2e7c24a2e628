/* wrong: takes the first maximum for the larger one */
/* message: the first sum was made with a smaller maximum: rescale it too */
#include "merge_parts.h"

#include <math.h>

static float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(from - to);
}

part merge_parts(part a, part b)
{
    float m = fmaxf(a.m, b.m);

    return (part){m, a.l + b.l * factor(b.m, m)};
}
