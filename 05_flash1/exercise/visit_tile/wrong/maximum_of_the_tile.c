/* wrong: m becomes the maximum of this tile, though an older one is larger */
/* message: the maximum did not grow: what is old stays as it is */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = max_of(s, n), m = fmaxf(r->m, m_new);
    float alpha = exp_minus(r->m, m);
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
