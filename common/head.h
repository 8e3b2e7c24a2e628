/*
 * One attention head: what every kernel of chapters 04-06 is handed.
 *
 *     O = softmax(scores(Q, K)) V          O: Nq x dv
 *     L = ln sum_j e^{score_j}             L: Nq x 1, natural logarithm
 *
 * docs/glossary.md says the words that a kernel is written in.
 */
#ifndef COMMON_HEAD_H
#define COMMON_HEAD_H

#include "common/rule.h"

/* Rows of a query tile and of a key tile. */
typedef struct {
    size_t Br, Bc;
} tile_sizes;

typedef struct {
    size_t Nq, Nk, d, dv;
    array Q, K, V;    /* read: Nq x d, Nk x d, Nk x dv */
    array O, L;       /* written: Nq x dv, Nq x 1 */
    array m, l;       /* Nq x 1, and */
    array P;          /* Nq x Nk: HBM that some steps leave beside O and L */
    float scale;      /* finite */
    rule rule;        /* which keys a query sees, what else a score is */
    tile_sizes tile;  /* asked for; 0: from M */
    precision P_type; /* what the weights are rounded to before P V */
} head;

/*
 * A kernel: O and L from Q, K, V. It takes its tiles from mem, and returns
 * mem->error: 0, or with O and L undefined, too small an M or no memory. It is
 * run by step_run (step.h), which makes the m, l or P that the caller has not
 * given; the type of an array that is absent says what its numbers are to be.
 */
typedef int attention_fn(const head *h, memory *mem);

/* How many keys, from key 0, the last of queries i sees: no query of that tile
 * sees more, so no key beyond is read. */
static inline size_t seen(const head *h, span i)
{
    return i.n == 0 ? 0 : keys_seen(&h->rule, i.first + i.n - 1, h->Nk);
}

/* May some of queries i see some of keys j? A tile of which none does is
 * skipped. */
static inline bool visible(const head *h, span i, span j)
{
    return !is_unseen(&h->rule, i, j);
}

/* The tiles that the head asks for, or else these. */
static inline tile_sizes asked_or(const head *h, size_t Br, size_t Bc)
{
    return h->tile.Br && h->tile.Bc ? h->tile : (tile_sizes){Br, Bc};
}

/* No larger than the head. */
static inline tile_sizes trimmed(const head *h, tile_sizes t)
{
    return (tile_sizes){min_size(t.Br, h->Nq), min_size(t.Bc, h->Nk)};
}

#endif
