/*
 * l is a sum of weights, and o is a sum of weights times values. When the
 * maximum grows, both sums are multiplied by the same alpha. At the end o is
 * divided by l.
 */
#include "one_pass_row.h"

#include <math.h>

#include "common/exponential.h"
#include "common/matrix.h"

void one_pass_row(float *o, size_t dv, score_fn *score_of, value_fn *value,
                  size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t c = 0; c < dv; c++)
        o[c] = 0;
    for (size_t j = 0; j < n; j++) {
        float s = score_of(j), m_new = fmaxf(m, s);
        float alpha = exp_minus(m, m_new), p = exp_minus(s, m_new);

        l = alpha * l + p;
        scale_row(o, alpha, dv);
        if (p != 0)
            axpy(o, p, value(j), dv);
        m = m_new;
    }
    scale_row(o, inverse(l), dv);
}
