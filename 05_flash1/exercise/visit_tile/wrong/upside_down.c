/* wrong: e^{m_new - m}: the factor is turned over */
/* message: the factor is turned over: e^{m_old - m_new} is at most 1 */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = r->m == -INFINITY ? 0 : expf(m_new - r->m);
    float old = alpha * r->l, l_new = old;

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    rescale(r->o, ratio(old, l_new), V.cols);
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] * inverse(l_new), row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
