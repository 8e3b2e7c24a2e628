/*
 * One attention head: the arguments of every forward kernel of chapters 04-06.
 *
 *     O = softmax(scores(Q, K)) V          O: Nq x dv
 *     L = ln sum_j e^{score_j}             L: Nq x 1, natural logarithm
 *
 * docs/glossary.md explains the terms that kernels use.
 */
#ifndef COMMON_HEAD_H
#define COMMON_HEAD_H

#include <math.h>
#include <stdbool.h>

#include "common/memory.h"

/*
 * A rule determines which keys a query sees, and the terms of its scores.
 * Most kernels use only seen, visible (below) and scores (scores.h).
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

/* The number of rows of a query tile (Br) and of a key tile (Bc). */
typedef struct {
    size_t Br, Bc;
} tile_sizes;

typedef struct {
    size_t Nq, Nk, d, dv;
    array Q, K, V; /* inputs: Nq x d, Nk x d, Nk x dv */
    array O, L;    /* outputs: Nq x dv, Nq x 1 */
    array m, l;    /* Nq x 1, row max and sum: only some steps write them */
    array P;       /* Nq x Nk, weights: only some steps write them */
    float scale;   /* finite */
    rule rule;
    tile_sizes tile;  /* sizes to use; if 0, the step chooses them from M */
    precision P_type; /* the weights are rounded to this type before P V */
} head;

/* A kernel: computes O and L from Q, K and V, with tiles allocated from mem.
 * Returns mem->error. After an error O and L are undefined. */
typedef int attention_fn(const head *h, memory *mem);

/* Returns the key index i + offset + more, clamped to 0 .. Nk. */
static inline size_t key_near(const head *h, size_t i, long long more)
{
    long long j = (long long)i + h->rule.offset + more;

    return j < 0 ? 0 : j < (long long)h->Nk ? (size_t)j : h->Nk;
}

/* Returns the index after the last key that any of queries i sees. Kernels do
 * not read keys from this index on. */
static inline size_t seen(const head *h, span i)
{
    size_t last = i.first + i.n - 1;

    if (i.n == 0)
        return 0;
    if (h->rule.causal)
        return key_near(h, last, 1);
    return h->rule.window ? key_near(h, last, (long long)h->rule.window)
                          : h->Nk;
}

/* Returns the first key that any of queries i sees; 0 without a window. */
static inline size_t seen_from(const head *h, span i)
{
    return h->rule.window ? key_near(h, i.first, 1 - (long long)h->rule.window)
                          : 0;
}

/* True if at least one of queries i sees at least one of keys j. */
static inline bool visible(const head *h, span i, span j)
{
    return j.n && seen(h, i) > j.first && seen_from(h, i) < j.first + j.n;
}

/* Returns h->tile if both sizes are set, else Br x Bc. */
static inline tile_sizes tile_or(const head *h, size_t Br, size_t Bc)
{
    return h->tile.Br && h->tile.Bc ? h->tile : (tile_sizes){Br, Bc};
}

/* Returns t, but at most Nq queries and Nk keys. */
static inline tile_sizes trimmed(const head *h, tile_sizes t)
{
    return (tile_sizes){min_size(t.Br, h->Nq), min_size(t.Bc, h->Nk)};
}

#endif
