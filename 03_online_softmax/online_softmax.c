/*
 * Online softmax computes maximum and sum in one pass.
 *
 * Changed since safe_softmax: its first two passes become one pass. When the
 * maximum grows, the sum so far is rescaled to the new maximum.
 *
 *     m_i = max(m_{i-1}, x_i)                                    pass 1
 *     l_i = l_{i-1} e^{m_{i-1} - m_i} + e^{x_i - m_i}
 *     y_i = e^{x_i - m_n} / l_n                                  pass 2
 *
 * Milakov and Gimelshein, arXiv 1805.02867, Algorithm 3 (whose d is our l).
 *
 * docs/03_online_softmax.md
 */
#include "03_online_softmax/steps.h"

#include "common/exponential.h"

/* ANCHOR: kernel */
void online_softmax(softmax_row *r)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < r->n; i++) {
        float x = get(r, i);
        float m_new = fmaxf(m, x);         /* line 4 */
        float alpha = exp_minus(m, m_new); /* rescales l to m_new */

        l = alpha * l + exp_minus(x, m_new); /* line 5: old sum, new term */
        m = m_new;
    }

    for (size_t i = 0; i < r->n; i++)
        put(r, i, exp_minus(get(r, i), m) * inverse(l)); /* line 8 */
    r->L = m + logf(l);
}
/* ANCHOR_END: kernel */
