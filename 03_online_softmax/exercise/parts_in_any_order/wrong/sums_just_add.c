/* wrong: sums of different maxima are added as they are */
/* message: sums made with different maxima don't add: rescale */
#include "parts_in_any_order.h"

#include <math.h>

float logsumexp_of_parts(const part *parts, size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < n; i++) {
        float m_new = fmaxf(m, parts[i].m);

        l = l + parts[i].l;
        m = m_new;
    }
    return m + logf(l);
}
