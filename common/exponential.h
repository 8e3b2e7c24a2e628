/* The exponential and the quotients that a safe softmax computes. */
#ifndef COMMON_EXPONENTIAL_H
#define COMMON_EXPONENTIAL_H

#include <math.h>

/*
 * Returns e^{x - m}, the only exponential of a safe softmax.
 *
 * m is the running maximum, so x - m <= 0 and nothing overflows. A key with
 * score -inf is not attended: its weight is 0 for every m. If the row begins
 * with -inf, m is also -inf, and e^{-inf + inf} would be NaN (docs/errata.md).
 */
/* ANCHOR: exp_minus */
static inline float exp_minus(float x, float m)
{
    return x == -INFINITY ? 0.0f : expf(x - m);
}
/* ANCHOR_END: exp_minus */

/* Returns 1 / l, or 0 if l is 0: a row without attended keys becomes 0, not
 * NaN. */
static inline float inverse(float l)
{
    return l == 0.0f ? 0.0f : 1.0f / l;
}

/* Returns a / l, or 0 if l is 0. For a = l the result is exactly 1, so a tile
 * of masked keys leaves O unchanged, bit for bit. */
static inline float ratio(float a, float l)
{
    return l == 0.0f ? 0.0f : a / l;
}

#endif
