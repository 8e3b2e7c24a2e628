/*
 * One attention head: what every kernel of chapters 04-06 is handed.
 *
 *     O = softmax(scores(Q, K)) V          O: Nq x dv
 *     L = ln sum_j e^{score_j}             L: Nq x 1, natural logarithm
 *
 * The scores of query i against key j, in this order:
 *     s = scale * (q_i . k_j)              scale multiplies: 1 / sqrt(d)
 *     s = softcap * tanh(s / softcap)      if softcap > 0
 *     s = s - slope |i + offset - j|       if slope > 0: ALiBi
 *     s = s + mask_ij                      if there is a mask; -inf allowed
 *     only keys j <= i + offset            if causal
 *     only keys |i + offset - j| < window  if there is a window
 *     only blocks (i / size, j / size) of 1  if there is a block mask
 *
 * A sink is one key more, that every query sees: of that score, and of value 0.
 *
 * A score of -inf is a key that is not attended, whatever its K and V hold. A
 * row with no key to attend to gives O = 0 and L = -inf. A NaN or +inf in an
 * attended score makes its row NaN. A weight of exactly 0 adds nothing,
 * whatever V holds. (Only a step that has the maximum before it sums can always
 * tell: to others an infinite value stays one if its weight sinks to 0 in more
 * than one go, as e^-60 e^-60 does.)
 */
#ifndef COMMON_HEAD_H
#define COMMON_HEAD_H

#include <math.h>
#include <stdbool.h>

#include "common/memory.h"

typedef struct {
    size_t Nq, Nk, d, dv;
    array Q;           /* Nq x d */
    array K;           /* Nk x d */
    array V;           /* Nk x dv */
    array mask;        /* Nq x Nk, or absent */
    array O;           /* Nq x dv, written */
    array L;           /* Nq x 1, written */
    const float *sink; /* its logit, finite, or NULL for none */
    float scale;       /* finite */
    float softcap;     /* > 0, or 0 for none */
    float slope;       /* > 0, or 0 for none */
    bool causal;
    long offset;   /* query i sees keys j <= i + offset, if causal */
    size_t window; /* and only keys less than that from i + offset; 0: all */
    struct {
        matrix of;     /* a 0 or 1 for each block; no data: no block mask */
        size_t size;   /* of a block: size queries, size keys */
        size_t i0, j0; /* query 0 and key 0 are these of all that there are */
    } blocks;
    size_t Br, Bc;    /* rows of a query and of a key tile; 0: from M */
    precision stored; /* of HBM scratch: S of chapter 04, m and l of 05 */
    precision P;      /* what the weights are rounded to before P V */
    /* What a backward pass reads (gradients.h): HBM that a forward kernel then
     * writes in place of scratch of its own. Absent: nothing is kept. */
    struct {
        array P;    /* Nq x Nk, by standard_attention */
        array m, l; /* Nq x 1, by flash1 and flash2_deferred */
    } kept;
} head;

/*
 * A kernel: O and L from Q, K, V. It takes its tiles from mem, and returns
 * mem->error: 0, or with O and L undefined, too small an M or no memory.
 * The caller resets mem afterwards.
 */
typedef int attention_fn(const head *h, memory *mem);

/* The same on the way back: dQ, dK and dV (gradients.h). */
typedef struct gradients gradients;
typedef int backward_fn(const gradients *g, memory *mem);

/* Rows of a query tile and of a key tile. */
typedef struct {
    size_t Br, Bc;
} tile_sizes;

/*
 * All heads of a layer (layer.h) at once, or n of them back, by a step that is
 * told which one it is; at least one head, of at least one query. Returns
 * mem->error.
 */
typedef struct layer layer;
typedef struct attention_step attention_step;
typedef int layer_fn(const attention_step *step, const layer *l, memory *mem);
typedef int gradients_fn(const attention_step *step, const gradients *heads,
                         size_t n, memory *mem);

/* What a way back reads of the forward pass beside O: L, or h.kept's. */
typedef enum { KEEPS_L, KEEPS_M_L, KEEPS_P } forward_keeps;

/* A step, forward or back. */
struct attention_step {
    const char *name;
    precision type; /* the type that the step computes in */
    const char *idea;
    attention_fn *run;   /* NULL: run_layer does a single head, too */
    layer_fn *run_layer; /* for a step that has threads, or a GPU; else NULL */
    /* The tile sizes that it uses with M on chip; NULL: it has no tiles. */
    tile_sizes (*tiles)(const head *h, size_t M);
    /* HBM traffic by formula, booked as counted: of one head or, told the
     * step, of all in tiles of each.Br, Bc; both NULL: it is not counted. */
    counts (*formula)(const head *h, tile_sizes t);
    counts (*layer_formula)(const attention_step *step, const layer *l);
    /* Of a step back, in place of these four: */
    backward_fn *back; /* NULL: back_heads does a single head, too */
    gradients_fn *back_heads;
    counts (*back_formula)(const gradients *g, tile_sizes t);
    attention_fn *forward; /* the kernel that leaves what it reads: */
    forward_keeps keeps;
    size_t products; /* matrix products: 2 N^2 d FLOPs each */
};

static inline bool is_backward(const attention_step *step)
{
    return step->back || step->back_heads;
}

/* Key i + offset + more, as far as there are: 0 to Nk. */
static inline size_t key_at_query(const head *h, size_t i, long long more)
{
    long long j = (long long)i + h->offset + more;

    return j < 0 ? 0 : j < (long long)h->Nk ? (size_t)j : h->Nk;
}

/* How many keys, from key 0, query i may see. */
static inline size_t keys_seen(const head *h, size_t i)
{
    if (h->causal)
        return key_at_query(h, i, 1);
    return h->window ? key_at_query(h, i, (long long)h->window) : h->Nk;
}

/* The first of them that a window leaves in sight. */
static inline size_t first_seen(const head *h, size_t i)
{
    return h->window ? key_at_query(h, i, 1 - (long long)h->window) : 0;
}

/* How many keys the last of the n queries from i0 on sees: no query of that
 * tile sees more, so no key beyond is read. */
static inline size_t keys_seen_by(const head *h, size_t i0, size_t n)
{
    return n == 0 ? 0 : keys_seen(h, i0 + n - 1);
}

/* Is the block of query i and key j one to attend to? */
static inline bool in_block(const head *h, size_t i, size_t j)
{
    return !h->blocks.of.data ||
           row(h->blocks.of,
               (h->blocks.i0 + i) /
                   h->blocks.size)[(h->blocks.j0 + j) / h->blocks.size] != 0;
}

/* Does query i see key j? */
static inline bool sees(const head *h, size_t i, size_t j)
{
    return first_seen(h, i) <= j && j < keys_seen(h, i) && in_block(h, i, j);
}

/* What a row knows before its first key: nothing, or the sink. */
static inline float m_before(const head *h)
{
    return h->sink ? *h->sink : -INFINITY;
}

static inline float l_before(const head *h)
{
    return h->sink ? 1 : 0;
}

/* What ALiBi adds to the score of query i and key j: the farther, the less. */
static inline float alibi(const head *h, size_t i, size_t j)
{
    long long after = (long long)i + h->offset - (long long)j;

    return h->slope * (float)(after < 0 ? after : -after);
}

/* Are all blocks 0 that the n queries from i0 on and the m keys from j0 on lie
 * in? */
bool blocks_are_empty(const head *h, size_t i0, size_t n, size_t j0, size_t m);

/* Does none of these queries see any of these keys, for one of the reasons
 * alone? Such a tile is skipped. */
static inline bool is_unseen(const head *h, size_t i0, size_t n, size_t j0,
                             size_t m)
{
    return keys_seen_by(h, i0, n) <= j0 || first_seen(h, i0) >= j0 + m ||
           (h->blocks.of.data && blocks_are_empty(h, i0, n, j0, m));
}

/* The tiles that the head asks for, or else these. */
static inline tile_sizes asked_or(const head *h, size_t Br, size_t Bc)
{
    return h->Br && h->Bc ? (tile_sizes){h->Br, h->Bc} : (tile_sizes){Br, Bc};
}

/*
 * For a kernel's traffic by formula, summed over the tiles that it visits: rows
 * of queries, rows of keys, elements of a mask if there is one. With the keys
 * in the outer loop, tiles reach to the last key that any query sees; with the
 * queries there, to the last that the tile's own queries see.
 */
typedef struct {
    size_t queries, keys, masked;
} tile_sums;
typedef enum { KEYS_OUTSIDE, QUERIES_OUTSIDE } loop_order;
tile_sums tiles_visited(const head *h, tile_sizes t, loop_order order);

/* Are there scores that are not just scale (q . k) up to a causal limit? */
static inline bool bends_scores(const head *h)
{
    return h->softcap > 0 || h->slope > 0 || h->mask.hbm.data || h->window ||
           h->blocks.of.data;
}

/* The head with only n queries, from i0 on. */
head head_of_queries(const head *h, size_t i0, size_t n);

#endif
