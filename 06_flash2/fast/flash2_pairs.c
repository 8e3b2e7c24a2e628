/*
 * flash2_simd in bf16, with twice the multiplications per instruction.
 *
 * Changed since flash2_simd: VDPBF16PS multiplies pairs of bf16 and adds both
 * products to a sum in fp32.
 *
 *   pairs           Q has pairs of columns, P has pairs of keys. K and V are
 *                   packed into the same pairs once per head (pairs_block.h).
 *                   Tiles begin at even keys, so that no pair is divided. If
 *                   the number of keys is odd, the last weight is 0.
 *   scale           The sums are scaled, because Q stays in bf16.
 *   two sums        L needs the sum l of the exact weights. O is divided by the
 *                   sum of the rounded weights, column dv of O.
 *
 *     S_ij = scale q_i . k_j                m'_i, alpha_i, l'_i as in flash2_simd
 *     P_ij = bf16(e^{S_ij} 2^{-m'_i})       O_i <- alpha_i O_i + P_i (V, 1)
 *
 * docs/cpu_speed.md
 */
#include "06_flash2/fast/pairs_block.h"

/* ANCHOR: product */
/* Computes sums[r][x] += sum over k < n of A[r * rs + k * ks] B[k][x], where A
 * and B have pairs, and a product of pairs has two terms. */
INLINE void multiply(size_t rows, size_t x0, vf sums[R][C], const float *A,
                     size_t rs, size_t ks, vf (*B)[C], size_t n)
{
    for (size_t k = 0; k < n; k++, A += ks) {
        vf b[C];

        EACH (x, x0, C) {
            b[x] = B[k][x];
            IN_REGISTER(b[x]);
        }
        EACH (r, 0, rows) {
            vf a = all_pairs(A + r * rs);

            EACH (x, x0, C)
                sums[r][x] = add_pairs(sums[r][x], a, b[x]);
        }
    }
}
/* ANCHOR_END: product */

/* If limited, lane i of vector x0 sees no key after j0 + reach + i. */
INLINE void score_keys(const head *h, query_block *b, size_t rows, size_t x0,
                       bool limited, long reach, size_t j0, size_t j, vf max[C])
{
    vf sums[R][C] = {{{0}}};

    multiply(rows, x0, sums, row(h->K.hbm, j0 + j), h->K.hbm.stride, 1, b->Q,
             tiles(h->d, 2));
    EACH (r, 0, rows) {
        EACH (x, x0, C)
            sums[r][x] *= h->scale;
        if (limited)
            sums[r][x0] += choose((vi){IOTA} < (int)((long)(j + r) - reach),
                                  all_lanes(-INFINITY), all_lanes(0));
        EACH (x, x0, C) {
            b->S[j + r][x] = sums[r][x];
            max[x] = larger(sums[r][x], max[x]);
        }
    }
}

/* Replaces S by P in pairs of keys, and adds the weights to l, at most half a
 * tile at a time (flash2_simd). keys must begin and end at even keys. */
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
        for (; j < stop; j += 2) {
            vf p[2][C];

            EACH (k, 0, 2) {
                EACH (x, x0, C)
                    p[k][x] = b->S[j + k][x];
                exp_over(C - x0, p[k] + x0, m + x0);
            }
            EACH (x, x0, C) {
                b->S[j / 2][x] = pairs_of(p[0][x], p[1][x]);
                sum[x] += p[0][x] + p[1][x];
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
        multiply(rows, x, sums, row(h->V.hbm, (j0 + steps[x].first) / 2) + c, 1,
                 stride, b->S + steps[x].first / 2, steps[x].n / 2);
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

/* ANCHOR: kernel */
/* If limited, query i of the block sees no key after j0 + reach + i. j0 must be
 * even. */
INLINE void attend_keys(const head *h, query_block *b, size_t x0, bool limited,
                        long reach, size_t j0, size_t n)
{
    vf max[C], alpha[C];
    span steps[C];
    size_t c = 0;

    EACH (x, x0, C) {
        max[x] = b->max[x];
        steps[x] = step_of(b, x0, limited, reach + (reach & 1), x, n);
    }

    /* scores: line 8 of FlashAttention-2's Algorithm 1, R keys at a time */
    EACH (x, x0, C) {
        size_t j = steps[x].first, end = j + steps[x].n;
        long last = reach + (long)W * ((long)x - (long)b->first);

        for (; j + R <= end; j += R)
            score_keys(h, b, R, x, limited, last, j0, j, max);
        for (; j < end; j++)
            score_keys(h, b, 1, x, limited, last, j0, j, max);
    }
    if (bends_scores(&h->rule))
        bend_scores(h, b, x0, j0, n, max);
    EACH (x, x0, C) {
        if (n % 2)
            b->S[n][x] = all_lanes(-INFINITY);
        steps[x].n += steps[x].n % 2;
    }

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
    for (; c + R <= h->dv + 1; c += R)
        add_values(h, b, R, x0, steps, j0, c, alpha);
    for (; c < h->dv + 1; c++)
        add_values(h, b, 1, x0, steps, j0, c, alpha);
    b->fresh = false;
}

/* Not inlined, because gcc would run out of registers. */
__attribute__((noinline)) static void attend_tile(const head *h, query_block *b,
                                                  size_t j0, size_t n)
{
    EACH (x, 0, C)
        if (x == b->first)
            attend_keys(h, b, x, false, 0, j0, n);
}

static bool attend_block(const head *all_queries, const head *next,
                         const float *packed, size_t i0, float *tile)
{
    size_t n = min_size(QUERIES, all_queries->Nq - i0);
    head part = head_of_queries(all_queries, span_of(i0, n)), *h = &part;
    query_block b = block_of(h, NULL, tile, stride_of_K(h), stride_of_V(h));
    const rule *limits = &h->rule;
    size_t all_see = b.seen;

    (void)next;
    /* load: only Q is loaded, K and V are packed */
    h->K.hbm = (matrix){(float *)packed, h->Nk, h->d, stride_of_K(h)};
    h->V.hbm = (matrix){values_of(h, packed), h->Nk, h->dv, stride_of_V(h)};
    load_pairs(h, &b);
    if (limits->causal)
        all_see = limits->offset < 0
                      ? 0
                      : min_size(b.seen, ((size_t)limits->offset + 1) / 2 * 2);
    for (size_t j = seen_from(h, one(0)) / 2 * 2; j < all_see; j += KEYS) {
        n = min_size(KEYS, all_see - j);
        if (visible(h, all(h->Nq), span_of(j, n)))
            attend_tile(h, &b, j, n);
    }
    /* the diagonal: query i of the block sees keys up to offset + i */
    if (all_see < b.seen)
        attend_keys(h, &b, 0, true, limits->offset - (long)all_see, all_see,
                    b.seen - all_see);
    if (b.fresh)
        memset(b.O, 0, (h->dv + 1) * sizeof *b.O);
    /* finish: lines 12 to 15 */
    return store_block(h, &b, b.O[h->dv]);
}
/* ANCHOR_END: kernel */

_Static_assert(QUERIES <= KEYS, "a block's diagonal fits in a tile");

const bf16_kernel FOR_TARGET(flash2_pairs) = {
    QUERIES,   BF16,         true,        packed_floats, state_floats,
    pack_keys, attend_block, one_product, products_alone};
