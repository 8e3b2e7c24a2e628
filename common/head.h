/*
 * One attention head: the arguments of every kernel of chapters 04-06.
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

/* --- The rule of the scores ---------------------------------------------- */

/*
 * Which keys a query sees, and the terms of its scores. Kernels use a rule only
 * through seen, visible (below) and scores (scores.h). With a rule of zeros,
 * every key is seen and the score is scale (q . k).
 *
 *     s = scale * (q_i . k_j)              scale multiplies: 1 / sqrt(d)
 *                                          (after the product, which must be
 *                                          in fp32's range; the fast steps
 *                                          scale q before)
 *     s = softcap * tanh(s / softcap)      if softcap > 0
 *     s = s - slope |i + offset - j|       if slope > 0: ALiBi
 *     s = s + mask_ij                      if there is a mask; -inf allowed
 *     only keys j <= i + offset            if causal
 *     only keys |i + offset - j| < window  if there is a window
 *
 * A key with score -inf is not attended, for any K and V. A row
 * without attended keys gives O = 0 and L = -inf. A NaN or +inf in an attended
 * score makes its row NaN. A weight of exactly 0 adds nothing, even if V is inf
 * or NaN. Exception: a step that sums before it has the row's maximum keeps an
 * infinite value of V in the sum if no single factor of its weight is 0, but
 * their product is, such as e^-60 e^-60.
 */
typedef struct {
    bool causal;
    long offset;   /* query i sees keys j <= i + offset, if causal */
    size_t window; /* only keys with |i + offset - j| < window; 0: all */
    float softcap; /* > 0, or 0 for none */
    float slope;   /* > 0, or 0 for none */
    array mask;    /* Nq x Nk, or absent */
} rule;

/* --- What a score is ----------------------------------------------------- */

/* True if scores need more than scaling and a causal limit (softcap, ALiBi,
 * mask, window). */
static inline bool bends_scores(const rule *r)
{
    return r->softcap > 0 || r->slope > 0 || r->mask.hbm.data || r->window;
}

/* Returns the final score of query i and key j from the scaled score s. The
 * query must see the key. */
static inline float final_score(const rule *r, float s, size_t i, size_t j,
                                float mask)
{
    long long after = (long long)i + r->offset - (long long)j;

    s = r->softcap > 0 ? r->softcap * tanhf(s / r->softcap) : s;
    return s + r->slope * (float)(after < 0 ? after : -after) + mask;
}

/* --- The head ------------------------------------------------------------ */

/* Rows of a query tile and of a key tile. */
typedef struct {
    size_t Br, Bc;
} tile_sizes;

typedef struct {
    size_t Nq, Nk, d, dv;
    array Q, K, V;    /* read: Nq x d, Nk x d, Nk x dv */
    array O, L;       /* written: Nq x dv, Nq x 1 */
    array m, l;       /* Nq x 1; some steps also write m and l, */
    array P;          /* or P: Nq x Nk */
    float scale;      /* finite */
    rule rule;        /* which keys a query sees, terms of the score */
    tile_sizes tile;  /* requested; 0: from M */
    precision P_type; /* the weights are rounded to this type before P V */
} head;

/* A kernel: computes O and L from Q, K, V, with tiles from mem. Returns
 * mem->error: 0, or an error if M is too small or memory is short; then O and L
 * are undefined. step_run (step.h) runs it, and allocates m, l or P if absent,
 * with the type that the absent array has. */
typedef int attention_fn(const head *h, memory *mem);

/* --- Which keys a query sees --------------------------------------------- */

/* Returns the key at i + offset + more, clamped to 0 .. Nk. */
static inline size_t key_near(const head *h, size_t i, long long more)
{
    long long j = (long long)i + h->rule.offset + more;

    return j < 0 ? 0 : j < (long long)h->Nk ? (size_t)j : h->Nk;
}

/* Returns the end of the keys that any of queries i sees. Keys beyond it are
 * not read. */
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

/* Returns the first key that any of queries i sees: 0 without a window. */
static inline size_t seen_from(const head *h, span i)
{
    return h->rule.window ? key_near(h, i.first, 1 - (long long)h->rule.window)
                          : 0;
}

/* True if some of queries i see some of keys j. Other tiles are skipped. */
static inline bool visible(const head *h, span i, span j)
{
    return j.n && seen(h, i) > j.first && seen_from(h, i) < j.first + j.n;
}

/* Returns the tile sizes that the head requests, or Br x Bc if it has none. */
static inline tile_sizes tile_or(const head *h, size_t Br, size_t Bc)
{
    return h->tile.Br && h->tile.Bc ? h->tile : (tile_sizes){Br, Bc};
}

/* Returns t, reduced to the size of the head. */
static inline tile_sizes trimmed(const head *h, tile_sizes t)
{
    return (tile_sizes){min_size(t.Br, h->Nq), min_size(t.Bc, h->Nk)};
}

#endif
