/* wrong: guards the exponential, and not the division by an l of 0 */
/* message: while nothing is attended l is 0, and 0 / 0 is NaN */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = exp_minus(r->m, m_new); /* rescales the past */
    float old = alpha * r->l, l_new = old;

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    for (size_t c = 0; c < V.cols; c++)
        r->o[c] *= old / l_new;
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] / l_new, row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
