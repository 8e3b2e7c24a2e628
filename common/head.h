/*
 * One attention head: the arguments of every forward kernel of chapters 04-06.
 *
 *     s_ij = scale (q_i . k_j)             all keys, or with `causal` only
 *                                          keys j <= i + offset
 *     O = softmax(s) V                     O: Nq x dv
 *     L = ln sum_j e^{s_ij}                L: Nq x 1, natural logarithm
 *
 * A row without keys gives O = 0 and L = -inf. A NaN or +inf in a score makes
 * its row NaN. rule.h has masks, windows and other terms of the scores.
 * docs/glossary.md explains the terms that kernels use.
 */
#ifndef COMMON_HEAD_H
#define COMMON_HEAD_H

#include "common/memory.h"
#include "common/rule.h"

/* The number of rows of a query tile (Br) and of a key tile (Bc). */
typedef struct {
    size_t Br, Bc;
} tile_sizes;

typedef struct {
    size_t Nq, Nk, d, dv;
    array Q, K, V;    /* inputs: Nq x d, Nk x d, Nk x dv */
    array O, L;       /* outputs: Nq x dv, Nq x 1 */
    array m, l;       /* Nq x 1, row max and sum: only some steps write them */
    array P;          /* Nq x Nk, weights: only some steps write them */
    float scale;      /* finite; 1 / sqrt(d) by default */
    rule rule;        /* causal: query i sees only keys j <= i + offset */
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
