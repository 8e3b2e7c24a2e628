/*
 * o was divided by the old l. So l o is a sum of weighted values, and alpha l o
 * is the same sum relative to the new maximum. The tile is added to this sum,
 * and the result is divided by the new l.
 *
 *     l' = l e^{m - m'} + sum_j e^{s_j - m'}
 *     o' = (l e^{m - m'} o + sum_j e^{s_j - m'} v_j) / l'
 */
#include "visit_tile.h"

#include <math.h>

#include "common/scores.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = exp_minus(r->m, m_new); /* rescales the old sums */
    float old = alpha * r->l, l_new = old;

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    scale_row(r->o, ratio(old, l_new), V.cols);
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] * inverse(l_new), row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
