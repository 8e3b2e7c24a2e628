/* wrong: e^{-inf - -inf} where the first part is empty */
/* message: an empty part came first: -inf - -inf is NaN */
#include "parts_in_any_order.h"

#include <math.h>

#include "common/exp_minus.h"

float logsumexp_of_parts(const part *parts, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++) {
        float m_new = fmaxf(m, parts[i].m);
        float alpha = expf(m - m_new);
        float beta = expf(parts[i].m - m_new);

        l = alpha * l + beta * parts[i].l;
        m = m_new;
    }
    return m + logf(l);
}
