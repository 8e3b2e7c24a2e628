/* wrong: e^{-inf + inf} where the first key is masked */
/* message: a first key that is masked: -inf - -inf is NaN */
#include "one_pass_row.h"

#include <math.h>

#include "common/exp_minus.h"
#include "common/matrix.h"

void one_pass_row(float *o, size_t dv, score_fn *score, value_fn *value,
                  size_t n)
{
    float m = -INFINITY, l = 0;

    for (size_t c = 0; c < dv; c++)
        o[c] = 0;
    for (size_t j = 0; j < n; j++) {
        float s = score(j), m_new = fmaxf(m, s);
        float alpha = expf(m - m_new), p = expf(s - m_new);

        l = alpha * l + p;
        rescale(o, alpha, dv);
        if (p != 0)
            axpy(o, p, value(j), dv);
        m = m_new;
    }
    rescale(o, inverse(l), dv);
}
