/*
 * Safe softmax subtracts the largest score first, so that no exponential
 * exceeds 1.
 *
 * Changed since naive_softmax: one more pass computes the maximum.
 *
 *     m   = max_j x_j                                            pass 1
 *     l   = sum_j e^{x_j - m}                                    pass 2
 *     y_i = e^{x_i - m} / l                                      pass 3
 *
 * The weights are the same as before, because e^{x - m} = e^x / e^m and e^m
 * cancels. Unless all scores are masked, 1 <= l <= n.
 *
 * Milakov and Gimelshein, arXiv 1805.02867, Algorithm 2.
 *
 * docs/02_safe_softmax.md
 */
#include "02_safe_softmax/steps.h"

#include "common/exponential.h"

/* ANCHOR: kernel */
void safe_softmax(softmax_row *r)
{
    float m = -INFINITY, l = 0;

    for (size_t i = 0; i < r->n; i++)
        m = fmaxf(m, get(r, i)); /* line 3 */

    for (size_t i = 0; i < r->n; i++)
        l += exp_minus(get(r, i), m); /* line 7: no term is above 1 */

    for (size_t i = 0; i < r->n; i++)
        put(r, i, exp_minus(get(r, i), m) * inverse(l)); /* line 10 */
    r->L = m + logf(l);
}
/* ANCHOR_END: kernel */
