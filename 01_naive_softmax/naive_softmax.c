/*
 * Naive softmax computes the definition in two passes over the row.
 *
 *     l   = sum_j e^{x_j}                                        pass 1
 *     y_i = e^{x_i} / l                                          pass 2
 *
 * It fails at both ends of fp32. e^x is infinite for x > 88.72. l is infinite
 * for n equal scores x > 88.72 - ln n. e^x is 0 for x < -103.97. If every e^x
 * is 0, the weights are 0 / 0 = NaN.
 *
 * Milakov and Gimelshein, arXiv 1805.02867, Algorithm 1 (whose d is our l).
 *
 * docs/01_naive_softmax.md
 */
#include "01_naive_softmax/steps.h"

#include <math.h>

/* ANCHOR: kernel */
void naive_softmax(softmax_row *r)
{
    float l = 0;

    for (size_t i = 0; i < r->n; i++)
        l += expf(get(r, i)); /* line 3: this sum may overflow */

    for (size_t i = 0; i < r->n; i++)
        put(r, i, expf(get(r, i)) / l); /* line 6 */
    r->L = logf(l);
}
/* ANCHOR_END: kernel */
