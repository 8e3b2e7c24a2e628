/* wrong: rescales o by e^{m - m_new}, as if it had not been divided by l */
/* message: o was divided by the old l: that has to be undone */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = exp_minus(r->m, m_new), l_new = alpha * r->l;

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    rescale(r->o, alpha, V.cols);
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] * inverse(l_new), row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
