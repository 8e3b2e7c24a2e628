/*
 * flash2_lanes with explicit vectors and register tiles.
 *
 * Changed since flash2_lanes: vectors of W queries (simd.h) replace loops over
 * queries, so that a tile of sums stays in registers.
 *
 *   register tile   A tile has R x C vectors of sums. R C multiply-adds need
 *                   R + C loads.
 *   e^x             exp_over (simd.h) computes C vectors of weights at a time.
 *                   Where multiply-adds are fused, each takes 11 operations.
 *   the diagonal    With a causal limit the last tile is computed in steps of
 *                   W keys. A vector skips keys that none of its queries sees.
 *   prefetching     V and O are prefetched while the scores are computed. The
 *                   next K or the next block is prefetched during P V.
 *
 *     m'_i = round(max(S_ij) / ln 2)        alpha_i = 2^{m_i - m'_i}
 *     P_ij = e^{S_ij} 2^{-m'_i}             l'_i = alpha_i l_i + sum_j P_ij
 *     O_i <- alpha_i O_i + P_i V            at the end: O_i / l_i
 *
 * P V of a tile is summed separately and then added to O, because sums of 64
 * terms lose fewer bits than one long sum. docs/cpu_speed.md
 */
#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/fast/simd_block.h"

/* ANCHOR: product */
/* Computes sums[r][x] += sum over k < n of A[r * rs + k * ks] B[k][x]. */
INLINE void multiply(size_t rows, size_t x0, vf sums[R][C], const float *A,
                     size_t rs, size_t ks, vf (*B)[C], size_t n)
{
    for (size_t k = 0; k < n; k++, A += ks) {
        vf b[C];

        EACH (x, x0, C) {
            b[x] = B[k][x];
            IN_REGISTER(b[x]);
        }
        EACH (r, 0, rows)
            EACH (x, x0, C)
                sums[r][x] += A[r * rs] * b[x];
    }
}
/* ANCHOR_END: product */

/* If limited, lane i of vector x0 sees no key after j0 + reach + i. */
INLINE void score_keys(const head *h, query_block *b, size_t rows, size_t x0,
                       bool limited, long reach, size_t j0, size_t j, vf max[C])
{
    vf sums[R][C] = {{{0}}};

    multiply(rows, x0, sums, row(h->K.hbm, j0 + j), h->K.hbm.stride, 1, b->Q,
             h->d);
    EACH (r, 0, rows) {
        if (limited)
            sums[r][x0] += choose((vi){IOTA} < (int)((long)(j + r) - reach),
                                  all_lanes(-INFINITY), all_lanes(0));
        EACH (x, x0, C) {
            b->S[j + r][x] = sums[r][x];
            max[x] = larger(sums[r][x], max[x]);
        }
    }
}

/* Replaces S by P and adds the weights to l, at most half a tile at a time: in
 * a long sum of equal terms all roundings can have the same direction. */
INLINE void weigh(query_block *b, size_t x0, span keys)
{
    size_t j = keys.first, end = j + keys.n;

    while (j < end) {
        size_t stop = min_size(j + HALF, end);
        vf m[C], sum[C];

        EACH (x, x0, C) {
            m[x] = b->m[x];
            sum[x] = all_lanes(0);
        }
        for (; j < stop; j++) {
            vf p[C];

            EACH (x, x0, C)
                p[x] = b->S[j][x];
            exp_over(C - x0, p + x0, m + x0);
            EACH (x, x0, C) {
                b->S[j][x] = p[x];
                sum[x] += p[x];
            }
        }
        EACH (x, x0, C)
            b->l[x] += sum[x];
    }
}

/* Computes columns c .. c + rows - 1 of O = alpha O + P V (line 10). */
INLINE void add_values(const head *h, query_block *b, size_t rows, size_t x0,
                       const span steps[C], size_t j0, size_t c,
                       const vf alpha[C])
{
    size_t stride = h->V.hbm.stride;
    vf sums[R][C] = {{{0}}};

    EACH (x, x0, C)
        multiply(rows, x, sums, row(h->V.hbm, j0 + steps[x].first) + c, 1,
                 stride, b->S + steps[x].first, steps[x].n);
    if (b->fresh) {
        EACH (r, 0, rows)
            EACH (x, x0, C)
                b->O[c + r][x] = sums[r][x];
    } else {
        EACH (r, 0, rows)
            EACH (x, x0, C)
                b->O[c + r][x] = b->O[c + r][x] * alpha[x] + sums[r][x];
    }
}

/* Prefetches some of the next keys, or if none are left, of the next block's
 * queries and keys; in bf16 also values, because widened.c converts them first.
 * If R divides dv, all calls together prefetch KEYS rows. */
INLINE void prefetch_next(const head *h, const query_block *b, size_t j,
                          size_t c)
{
    size_t from = c * KEYS / h->dv, n = (c + R) * KEYS / h->dv - from;
    const head *next = b->next;

    if (j < b->seen)
        prefetch(h->K.hbm, j + from, n);
    else {
        prefetch_rows(&next->Q, from, n);
        prefetch_rows(&next->K, from, n);
        if (only_narrow(&next->V))
            prefetch_rows(&next->V, from, n);
    }
}

/* ANCHOR: kernel */
/* If limited, query i of the block sees no key after j0 + reach + i. */
INLINE void attend_keys(const head *h, query_block *b, size_t x0, bool limited,
                        long reach, size_t j0, size_t n)
{
    vf max[C], alpha[C];
    span steps[C];
    size_t c = 0;

    EACH (x, x0, C) {
        max[x] = b->max[x];
        steps[x] = step_of(b, x0, limited, reach, x, n);
    }

    /* scores: line 8 of FlashAttention-2's Algorithm 1, R keys at a time */
    EACH (x, x0, C) {
        size_t j = steps[x].first, end = j + steps[x].n;
        long last = reach + (long)W * ((long)x - (long)b->first);

        for (; j + R <= end; j += R) {
            prefetch(h->V.hbm, j0 + j, R);
            prefetch_rows(&h->O, j0 + j, R);
            score_keys(h, b, R, x, limited, last, j0, j, max);
        }
        for (; j < end; j++)
            score_keys(h, b, 1, x, limited, last, j0, j, max);
    }
    if (bends_scores(&h->rule))
        bend_scores(h, b, x0, j0, n, max);

    /* update: line 9; l is rescaled here, O in add_values */
    EACH (x, x0, C) {
        vf m = larger(all_lanes(-most_m), round_log2(max[x]));

        alpha[x] = power_of_2(b->m[x] - m);
        b->max[x] = max[x];
        b->l[x] *= alpha[x];
        b->m[x] = m;
    }
    EACH (x, x0, C)
        weigh(b, x, steps[x]);
    for (; c + R <= h->dv; c += R) {
        prefetch_next(h, b, j0 + n, c);
        add_values(h, b, R, x0, steps, j0, c, alpha);
    }
    for (; c < h->dv; c++)
        add_values(h, b, 1, x0, steps, j0, c, alpha);
    b->fresh = false;
}

/* attend_whole is for blocks that use all C vectors. The functions are not
 * inlined, because gcc would run out of registers. */
__attribute__((noinline)) static void
attend_whole(const head *h, query_block *b, size_t j0, size_t n)
{
    attend_keys(h, b, 0, false, 0, j0, n);
}

__attribute__((noinline)) static void
attend_fewer(const head *h, query_block *b, size_t j0, size_t n)
{
    EACH (x, 1, C)
        if (x == b->first)
            attend_keys(h, b, x, false, 0, j0, n);
}

static bool attend_block(const head *h, const head *next, float *tile)
{
    query_block b = block_of(h, next, tile, h->d, h->dv);
    const rule *limits = &h->rule;
    size_t all_see = b.seen;

    /* load: only Q is loaded, K and V are read in place */
    load_queries(h, &b);
    if (limits->causal)
        all_see =
            limits->offset < 0 ? 0 : min_size(b.seen, (size_t)limits->offset);
    for (size_t j = seen_from(h, one(0)); j < all_see; j += KEYS) {
        size_t n = min_size(KEYS, all_see - j);

        if (visible(h, all(h->Nq), span_of(j, n)))
            (b.first == 0 ? attend_whole : attend_fewer)(h, &b, j, n);
    }
    /* the diagonal: query i of the block sees keys up to offset + i */
    if (all_see < b.seen)
        attend_keys(h, &b, 0, true, limits->offset - (long)all_see, all_see,
                    b.seen - all_see);
    if (b.fresh)
        memset(b.O, 0, h->dv * sizeof *b.O);
    /* finish: lines 12 to 15 */
    return store_block(h, &b, b.l);
}
/* ANCHOR_END: kernel */

_Static_assert(QUERIES <= KEYS, "a block's diagonal fits in a tile");

const block_kernel FOR_TARGET(flash2_simd) = {attend_block, QUERIES, KEYS};
