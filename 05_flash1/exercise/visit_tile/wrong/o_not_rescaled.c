/* wrong: adds to o without touching what is there */
/* message: o is not rescaled: with equal scores it is the mean */
#include "visit_tile.h"

#include <math.h>

#include "common/exp_minus.h"

void visit_tile(query_row *r, float *s, size_t n, matrix V)
{
    float m_new = fmaxf(r->m, max_of(s, n));
    float l_new = r->l * exp_minus(r->m, m_new);

    for (size_t j = 0; j < n; j++) {
        s[j] = exp_minus(s[j], m_new);
        l_new += s[j];
    }
    for (size_t j = 0; j < n; j++)
        if (s[j] != 0)
            axpy(r->o, s[j] * inverse(l_new), row(V, j), V.cols);
    r->m = m_new;
    r->l = l_new;
}
