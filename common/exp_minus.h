/*
 * e^{x - m}, the only exponential that a safe softmax takes.
 *
 * m is the running maximum, so x - m <= 0 and nothing overflows. A score of
 * -inf is a key that is not attended: its weight is 0 whatever m is. Without
 * that guard a leading -inf gives e^{-inf + inf} = NaN (docs/errata.md).
 */
#ifndef COMMON_EXP_MINUS_H
#define COMMON_EXP_MINUS_H

#include <math.h>

/* ANCHOR: exp_minus */
static inline float exp_minus(float x, float m)
{
    return x == -INFINITY ? 0.0f : expf(x - m);
}
/* ANCHOR_END: exp_minus */

/*
 * 1 / l, and 0 for l = 0: a row with nothing to attend to is 0, not 0/0.
 */
static inline float inverse(float l)
{
    return l == 0.0f ? 0.0f : 1.0f / l;
}

/*
 * a / l, and 0 for l = 0. Exactly 1 if a is l, which a * inverse(l) need not
 * be: a tile of masked keys then leaves O as it is, bit for bit.
 */
static inline float ratio(float a, float l)
{
    return l == 0.0f ? 0.0f : a / l;
}

#endif
