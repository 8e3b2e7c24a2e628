/* wrong: e^{-inf - -inf} in a masked first tile */
/* message: a first tile that is masked whole: -inf - -inf is NaN */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = expf(r->m - m_new);
    float old = alpha * r->l, l_new = old;

    for (size_t j = 0; j < n; j++) {
        s[j] = expf(s[j] - m_new);
        l_new += s[j];
    }
    rescale(r->o, ratio(old, l_new), V.cols);
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] * inverse(l_new), row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
