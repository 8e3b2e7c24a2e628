/* wrong: e^{m_new - m_old}: a rescaled sum grows */
/* message: a rescaled sum shrinks: the factor is e^{m_old - m_new} <= 1 */
#include "merge_parts.h"

#include <math.h>

static float factor(float from, float to)
{
    return from == -INFINITY ? 0 : expf(to - from);
}

part merge_parts(part a, part b)
{
    float m = fmaxf(a.m, b.m);

    return (part){m, a.l * factor(a.m, m) + b.l * factor(b.m, m)};
}
