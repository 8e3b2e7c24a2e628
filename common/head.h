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

#include <math.h>
#include <stdbool.h>

#include "common/memory.h"

/* --- The rule of the scores -------------------------------------------------- */

/*
 * Which keys a query sees, and what its score is beside scale (q . k). All that
 * reads a rule is here; a kernel knows three words of it: seen and visible
 * (head.h), and scores (scores.h). A rule of zeros: every key is seen, and the
 * score is scale (q . k).
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
 *     only blocks (i / size, j / size) of 1  if there is a block mask
 *
 * A score of -inf is a key that is not attended, whatever its K and V hold. A
 * row with no key to attend to gives O = 0 and L = -inf. A NaN or +inf in an
 * attended score makes its row NaN. A weight of exactly 0 adds nothing,
 * whatever V holds. (Only a step that has the maximum before it sums can always
 * tell: to others an infinite value stays one if its weight sinks to 0 in more
 * than one go, as e^-60 e^-60 does.)
 */
typedef struct {
    bool causal;
    long offset;   /* query i sees keys j <= i + offset, if causal */
    size_t window; /* and only keys less than that from i + offset; 0: all */
    float softcap; /* > 0, or 0 for none */
    float slope;   /* > 0, or 0 for none */
    array mask;    /* Nq x Nk, or absent */
    struct {
        matrix of;     /* a 0 or 1 for each block; no data: no block mask */
        size_t size;   /* of a block: size queries, size keys */
        size_t i0, j0; /* query 0 and key 0 are these of all that there are */
    } blocks;
    /* A key more, that every query sees: of that score, finite, and of value 0;
     * NULL: none. No kernel knows of it (step.h). */
    const float *sink;
} rule;

/* --- Who sees whom -------------------------------------------------------- */

/* Key i + offset + more, as far as there are Nk: 0 to Nk. */
static inline size_t key_beside(const rule *r, size_t i, long long more,
                                size_t Nk)
{
    long long j = (long long)i + r->offset + more;

    return j < 0 ? 0 : j < (long long)Nk ? (size_t)j : Nk;
}

/* How many of Nk keys, from key 0, query i may see. */
static inline size_t keys_seen(const rule *r, size_t i, size_t Nk)
{
    if (r->causal)
        return key_beside(r, i, 1, Nk);
    return r->window ? key_beside(r, i, (long long)r->window, Nk) : Nk;
}

/* The first of them that a window leaves in sight. */
static inline size_t first_seen(const rule *r, size_t i, size_t Nk)
{
    return r->window ? key_beside(r, i, 1 - (long long)r->window, Nk) : 0;
}

/* Is there no block to attend to among those of queries i and keys j? */
bool blocks_are_empty(const rule *r, span i, span j);

/* Does none of these queries see any of these keys, for one of the reasons
 * alone? */
static inline bool is_unseen(const rule *r, span i, span j)
{
    size_t end = j.first + j.n;

    return i.n == 0 || keys_seen(r, i.first + i.n - 1, end) <= j.first ||
           first_seen(r, i.first, end) >= end ||
           (r->blocks.of.data && blocks_are_empty(r, i, j));
}

/* Does query i see key j? */
static inline bool sees(const rule *r, size_t i, size_t j)
{
    long long after = (long long)i + r->offset - (long long)j;
    long long window = (long long)r->window;

    if ((r->causal && after < 0) ||
        (window && (after >= window || -after >= window)))
        return false;
    return !r->blocks.of.data || !blocks_are_empty(r, one(i), one(j));
}

/* --- What a score is ------------------------------------------------------ */

/* Are there scores that are not just scale (q . k) up to a causal limit? */
static inline bool bends_scores(const rule *r)
{
    return r->softcap > 0 || r->slope > 0 || r->mask.hbm.data || r->window ||
           r->blocks.of.data;
}

/* The final score of query i and key j, which it sees, from the scaled one. */
static inline float final_score(const rule *r, float s, size_t i, size_t j,
                                float mask)
{
    long long after = (long long)i + r->offset - (long long)j;

    s = r->softcap > 0 ? r->softcap * tanhf(s / r->softcap) : s;
    return s + r->slope * (float)(after < 0 ? after : -after) + mask;
}

/* --- Of a part ------------------------------------------------------------ */

/* The same rule, of queries from i0 on; of keys from j0 on. Cut masks by their
 * rows or columns. */
rule rule_of_queries(rule r, span i);
rule rule_of_keys(rule r, span j);

/* The same for Nq queries and Nk keys, with an offset and a window that no sum
 * of sizes wraps around. */
rule rule_within_limits(rule r, size_t Nq, size_t Nk);

/* --- The head ---------------------------------------------------------------- */

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
