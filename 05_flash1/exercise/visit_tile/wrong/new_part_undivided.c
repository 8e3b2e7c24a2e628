/* wrong: divides what is old by the new l, and not what is new */
/* message: the first tile: o is the mean of its values, not their sum */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float alpha = exp_minus(r->m, m_new);
    float old = alpha * r->l, l_new = old;

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    rescale(r->o, ratio(old, l_new), V.cols);
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j], row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
