/* Which keys a query sees, and what is added to its scores. */
#ifndef COMMON_RULE_H
#define COMMON_RULE_H

#include <math.h>
#include <stdbool.h>

#include "common/memory.h"

/*
 * A rule determines which keys a query sees, and the terms of its scores.
 * Most kernels use only seen, visible (head.h) and scores (scores.h).
 * If all fields are 0, a query sees every key and the score is scale (q . k).
 *
 *     s = scale * (q_i . k_j)              scale is 1 / sqrt(d) by default
 *     s = softcap * tanh(s / softcap)      if softcap > 0
 *     s = s - slope |i + offset - j|       if slope > 0: ALiBi
 *     s = s + mask_ij                      if there is a mask; -inf allowed
 *     only keys j <= i + offset            if causal
 *     only keys |i + offset - j| < window  if there is a window
 *
 * The product q_i . k_j must be in fp32's range, because scale is applied
 * after it. The fast steps scale q before the product instead.
 *
 * A key with score -inf is not attended, for any K and V. A row without
 * attended keys gives O = 0 and L = -inf. A NaN or +inf in an attended score
 * makes its row NaN. A weight of exactly 0 adds nothing, even if V is inf or
 * NaN. Exception: in a step with an online softmax a weight is a product of
 * factors. The product can be 0 although no factor is 0, for example
 * e^-60 e^-60. Then an infinite V of that key stays in the sum.
 */
typedef struct {
    bool causal;
    long offset;
    size_t window; /* 0: no window */
    float softcap;
    float slope;
    array mask; /* Nq x Nk, or absent */
} rule;

/* True if scores need more than scaling and a causal limit (softcap, ALiBi,
 * mask, window). */
static inline bool bends_scores(const rule *r)
{
    return r->softcap > 0 || r->slope > 0 || r->mask.hbm.data || r->window;
}

/* Returns the final score of query i and key j from the scaled score s and the
 * value of the mask (0 without a mask). The query must see the key. */
static inline float final_score(const rule *r, float s, size_t i, size_t j,
                                float mask)
{
    long long after = (long long)i + r->offset - (long long)j;

    s = r->softcap > 0 ? r->softcap * tanhf(s / r->softcap) : s;
    return s + r->slope * (float)(after < 0 ? after : -after) + mask;
}

#endif
