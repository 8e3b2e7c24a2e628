/*
 * flash2_backward with vectors: five products of one shape.
 *
 * Changed since flash2_backward: the loops are turned back, queries outside
 * and keys inside, and both kinds of sums are kept: dQ of a block of queries
 * on chip, dK and dV of all keys in one thread's memory, which a head's cores
 * would have to share; so threads take whole heads.
 *
 *     a lane is a query    S_j = K_j Q^T    dP_j = V_j dO^T    dQ^T += K^T dS
 *     a lane is a column   dV_j += P_j dO   dK_j += dS_j Q
 *
 * In the first three, one number of K or V meets a vector of queries. In the
 * other two, one number of P_j or dS_j, which lie in memory by key, meets a
 * vector of columns of dO or Q. So P and dS are never transposed, no sum goes
 * across the lanes of a vector, and all five are one function, multiply. Q and
 * dO are needed both ways, and turned once for each block.
 *
 * docs/backward.md
 */
#include "06_flash2/backward/fast_backward.h"
#include "06_flash2/backward/simd_gradients.h"

/* ANCHOR: product */
/* sums[r][x] += sum_k A[r * rs + k * ks] B[k * bs + x]: all five products. */
INLINE void multiply(size_t rows, size_t x0, vf sums[R][C], const float *A,
                     size_t rs, size_t ks, const float *B, size_t bs, size_t n)
{
    for (size_t k = 0; k < n; k++, A += ks, B += bs) {
        vf b[C];

        EACH (x, x0, C) {
            b[x] = load_lanes(B + x * W);
            IN_REGISTER(b[x]);
        }
        EACH (r, 0, rows)
            EACH (x, x0, C)
                sums[r][x] += A[r * rs] * b[x];
    }
}
/* ANCHOR_END: product */

/* ANCHOR: recompute */
/* P of `rows` keys from key j on, which is row t of the tile. If limited, lane i
 * of vector x sees no key after j = x W + i + reach. */
INLINE void make_weights(const gradients *g, simd_gradients *b, size_t rows,
                         size_t x0, bool limited, long reach, size_t j,
                         size_t t)
{
    const head *h = &g->h;
    vf S[R][C] = {{{0}}};

    multiply(rows, x0, S, row(h->K.hbm, j), h->K.hbm.stride, 1, b->Qt, QUERIES,
             h->d);
    EACH (r, 0, rows) { /* P = e^{S - L} */
        vf p[C], zero[C];

        EACH (x, x0, C) {
            p[x] = S[r][x] - b->L[x];
            zero[x] = all_lanes(0);
            if (limited)
                p[x] = choose((vi){IOTA} <
                                  (int)((long)(j + r) - reach - (long)(x * W)),
                              all_lanes(-INFINITY), p[x]);
        }
        exp_over(C - x0, p + x0, zero + x0);
        EACH (x, x0, C)
            store_lanes(b->P + (t + r) * QUERIES + x * W, p[x]);
    }
}

/* dS = P (dP - D) of the same keys. */
INLINE void make_gradients(const gradients *g, simd_gradients *b, size_t rows,
                           size_t x0, size_t j, size_t t)
{
    const head *h = &g->h;
    vf dP[R][C] = {{{0}}};

    multiply(rows, x0, dP, row(h->V.hbm, j), h->V.hbm.stride, 1, b->dOt,
             QUERIES, h->dv);
    EACH (r, 0, rows)
        EACH (x, x0, C) {
            size_t at = (t + r) * QUERIES + x * W;

            store_lanes(b->dS + at,
                        load_lanes(b->P + at) * (dP[r][x] - b->D[x]));
        }
}
/* ANCHOR_END: recompute */

/* out[r][x] += sum_k A[r][k] B[k][x]: any of the three products that are added
 * to sums in memory. */
INLINE void add_product(size_t rows, size_t x0, float *out, size_t os,
                        const float *A, size_t rs, size_t ks, const float *B,
                        size_t bs, size_t n)
{
    vf sums[R][C] = {{{0}}};

    EACH (r, 0, rows) /* soon to be added to */
        EACH (x, x0, C)
            __builtin_prefetch(out + r * os + x * W, 1);
    multiply(rows, x0, sums, A, rs, ks, B, bs, n);
    EACH (r, 0, rows)
        EACH (x, x0, C)
            store_lanes(out + r * os + x * W,
                        load_lanes(out + r * os + x * W) + sums[r][x]);
}

/* The same for an x0 that is not known beforehand; rows: R, or fewer. */
static void add_rows(size_t rows, size_t x0, float *out, size_t os,
                     const float *A, size_t rs, size_t ks, const float *B,
                     size_t bs, size_t n)
{
    EACH (x, 0, C)
        if (x == x0 && rows == R)
            add_product(R, x, out, os, A, rs, ks, B, bs, n);
        else if (x == x0)
            for (size_t r = 0; r < rows; r++)
                add_product(1, x, out + r * os, os, A + r * rs, rs, ks, B, bs,
                            n);
}

/* dV += P dO or dK += dS Q for n keys: out is n x cols, and of the block's
 * queries those from i0 on count. The last vectors of a row go in the last
 * places of a register tile. */
static void add_to_rows(float *out, size_t cols, const float *weights,
                        size_t i0, const float *queries, size_t n)
{
    for (size_t c = 0; c < cols; c += C * W) {
        size_t left = (cols - c) / W, x0 = left < C ? C - left : 0;
        float *at = out + c - x0 * W;
        const float *from = queries + i0 * cols + c - x0 * W;

        for (size_t j = 0; j < n; j += R)
            add_rows(min_size(R, n - j), x0, at + j * cols, cols,
                     weights + j * QUERIES + i0, QUERIES, 1, from, cols,
                     QUERIES - i0);
    }
}

/* P and dS of n keys from j0 on: first all of P, so that Q stays in the nearest
 * cache, and then all of dS with dO there. */
static void recompute(const gradients *g, simd_gradients *b, size_t x0,
                      bool limited, long reach, size_t j0, size_t n)
{
    EACH (x, 0, C)
        if (x == x0) {
            size_t j = 0;

            for (; j + R <= n; j += R)
                make_weights(g, b, R, x, limited, reach, j0 + j, j);
            for (; j < n; j++)
                make_weights(g, b, 1, x, limited, reach, j0 + j, j);
            for (j = 0; j + R <= n; j += R)
                make_gradients(g, b, R, x, j0 + j, j);
            for (; j < n; j++)
                make_gradients(g, b, 1, x, j0 + j, j);
        }
}

/* ANCHOR: kernel */
/* The queries of vectors x0 .. C - 1 and n <= KEYS keys from j0 on. */
static void visit(const gradients *g, simd_gradients *b, size_t x0,
                  bool limited, long reach, size_t j0, size_t n)
{
    const head *h = &g->h;
    matrix K = block(h->K.hbm, j0, 0, n, h->d);

    /* scores: FlashAttention-2's Algorithm 2, lines 10, 11, 13 and 14 */
    recompute(g, b, x0, limited, reach, j0, n);
    /* update: lines 12, 16 and 15 */
    add_to_rows(b->dV + j0 * b->dv, b->dv, b->P, x0 * W, b->dO, n);
    add_to_rows(b->dK + j0 * b->d, b->d, b->dS, x0 * W, b->Q, n);
    for (size_t c = 0; c < h->d; c += R)
        add_rows(min_size(R, h->d - c), x0, b->dQt + c * QUERIES, QUERIES,
                 K.data + c, 1, K.stride, b->dS, QUERIES, n);
}

static bool backward_head(const gradients *g, float *all)
{
    const head *h = &g->h;
    simd_gradients b = gradients_in(h, all);
    vf check = {0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += QUERIES) {
        size_t n = min_size(QUERIES, h->Nq - i0);
        size_t seen = keys_seen_by(h, i0, n), all_see = keys_seen(h, i0);

        /* load */
        load_block(g, &b, i0, n);
        for (size_t j = 0; j < all_see; j += KEYS)
            visit(g, &b, 0, false, 0, j, min_size(KEYS, all_see - j));
        /* the diagonal: lane i of vector x sees keys to x W + i + reach */
        for (size_t j = all_see; j < seen; j += W) {
            long reach = (long)i0 + h->offset; /* < j: not all see it */

            visit(g, &b, (size_t)((long)j - reach) / W, true, reach, j,
                  min_size(W, seen - j));
        }
        /* finish */
        check += store_block(g, &b, i0, n);
    }
    return store_gradients(g, &b, check);
}
/* ANCHOR_END: kernel */

const fast_backward FOR_TARGET(backward_simd) = {backward_head,
                                                 gradient_floats};
