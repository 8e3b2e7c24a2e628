/*
 * Begins with the empty part (-inf, 0), which does not change the result. Then
 * merges one part after another into it.
 */
#include "parts_in_any_order.h"

#include <math.h>

#include "common/exponential.h"

float logsumexp_of_parts(const part *parts, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++) {
        float m_new = fmaxf(m, parts[i].m);
        float alpha = exp_minus(m, m_new);
        float beta = exp_minus(parts[i].m, m_new);

        l = alpha * l + beta * parts[i].l;
        m = m_new;
    }
    return m + logf(l);
}
