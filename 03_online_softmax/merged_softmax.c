/*
 * Merged softmax applies the online update to blocks of the row.
 *
 * Changed since online_softmax: merges the states (m, l) of two blocks. One
 * element x_i is a block with the state (x_i, 1). So the same operation adds an
 * element to a block, and a block to the row.
 *
 *     (m, l) + (m~, l~) = (m', l e^{m - m'} + l~ e^{m~ - m'}),
 *     m' = max(m, m~)
 *
 * The operation is associative and commutative, with identity (-inf, 0). So
 * blocks may have any size and any order. Tiling, FlashAttention and
 * flash-decoding use this property.
 * Milakov and Gimelshein, arXiv 1805.02867, section 3.1, equation (4).
 *
 * docs/03_online_softmax.md
 */
#include "03_online_softmax/steps.h"

#include "common/exponential.h"
#include "common/matrix.h"

/* ANCHOR: merge */
softmax_state merge(softmax_state a, softmax_state b)
{
    float m = fmaxf(a.m, b.m);
    /* alpha or beta is 1, or both are 0 */
    float alpha = exp_minus(a.m, m), beta = exp_minus(b.m, m);

    return (softmax_state){m, alpha * a.l + beta * b.l};
}
/* ANCHOR_END: merge */

/* ANCHOR: kernel */
void merged_softmax(softmax_row *r)
{
    softmax_state all = {-INFINITY, 0};

    for (size_t i0 = 0; i0 < r->n; i0 += r->block) {
        softmax_state part = {-INFINITY, 0};

        for (size_t i = i0; i < min_size(i0 + r->block, r->n); i++) {
            /* load */
            float x = get(r, i);

            /* scores: x is a score already; chapter 04 computes scores */
            /* update */
            part = merge(part, (softmax_state){x, 1}); /* e^{x - x} is 1 */
        }
        all = merge(all, part); /* the same merge as for elements */
    }

    /* finish */
    for (size_t i = 0; i < r->n; i++)
        put(r, i, exp_minus(get(r, i), all.m) * inverse(all.l));
    r->L = all.m + logf(all.l);
}
/* ANCHOR_END: kernel */
