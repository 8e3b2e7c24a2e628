/*
 * flash2_backward with vectors. multiply() computes all five products.
 *
 * Changed since flash2_backward: the outer loop is over queries, and the inner
 * loop is over keys. dQ of a block of queries stays on chip. Each block adds to
 * dK and dV of all keys that it sees, so one thread computes a whole head.
 *
 *     a lane is a query    S_j = K_j Q^T    dP_j = V_j dO^T    dQ^T += K^T dS
 *     a lane is a column   dV_j += P_j dO   dK_j += dS_j Q
 *
 * P and dS have a row for each key, so they are never transposed. No sum adds
 * lanes of a vector. Q and dO are transposed once per block.
 *
 * A block is PANELS panels of LANES queries. Each transposed array of a panel
 * fits in the L1 cache for d up to 128. P and dS of all panels are contiguous,
 * so a tile of dK and dV is loaded once for all panels. docs/backward.md
 */
#include "06_flash2/backward/fast_backward.h"
#include "06_flash2/backward/simd_gradients.h"

/* ANCHOR: recompute */
/* If limited, lane i of vector x sees the keys up to x W + i + reach. */
INLINE void make_weights(size_t rows, size_t x0, const head *h, const panel *b,
                         bool limited, long reach, size_t j, matrix P)
{
    matrix K = h->K.hbm;
    vf S[R][C] = {{{0}}};

    multiply(rows, x0, S,
             (product){row(K, j), K.stride, 1, b->Qt, LANES, h->d});
    EACH (r, 0, rows) { /* P = e^{S - L} */
        vf *p = S[r], zero[C] = {{0}};

        EACH (x, x0, C) {
            p[x] -= b->L[x];
            if (limited)
                p[x] = choose((vi){IOTA} <
                                  (int)((long)(j + r) - reach - (long)(x * W)),
                              all_lanes(-INFINITY), p[x]);
        }
        exp_over(C - x0, p + x0, zero + x0);
        EACH (x, x0, C)
            store_lanes(row(P, r) + x * W, p[x]);
    }
}

INLINE void make_gradients(size_t rows, size_t x0, const head *h,
                           const panel *b, size_t j, matrix P, matrix dS)
{
    matrix V = h->V.hbm;
    vf dP[R][C] = {{{0}}};

    multiply(rows, x0, dP,
             (product){row(V, j), V.stride, 1, b->dOt, LANES, h->dv});
    EACH (r, 0, rows)
        EACH (x, x0, C) {
            vf p = load_lanes(row(P, r) + x * W);

            store_lanes(row(dS, r) + x * W, p * (dP[r][x] - b->D[x]));
        }
}
/* ANCHOR_END: recompute */

ALONE void weights_tile(const head *h, const panel *b, size_t j,
                        const matrix *P)
{
    make_weights(R, 0, h, b, false, 0, j, *P);
}

ALONE void less_weights(size_t rows, size_t x0, const head *h, const panel *b,
                        bool limited, long reach, size_t j, const matrix *P)
{
    OF_SHAPE(make_weights, h, b, limited, reach, j, *P);
}

ALONE void gradients_tile(const head *h, const panel *b, size_t j,
                          const matrix *P, const matrix *dS)
{
    make_gradients(R, 0, h, b, j, *P, *dS);
}

ALONE void less_gradients(size_t rows, size_t x0, const head *h, const panel *b,
                          size_t j, const matrix *P, const matrix *dS)
{
    OF_SHAPE(make_gradients, h, b, j, *P, *dS);
}

/* Computes all of P first, so that Q stays in the L1 cache, and then all of dS,
 * so that dO stays there. */
static void recompute(const gradients *g, simd_gradients *b, size_t p,
                      size_t x0, bool limited, long reach, size_t j0, size_t n)
{
    const head *h = &g->h;
    const panel *queries = &b->panels[p];
    size_t rows;

    for (size_t t = 0; t < n; t += rows) {
        matrix P = block(b->P, t, p * LANES, n - t, LANES);

        rows = next_rows(x0 == 0 && !limited, n - t);
        prefetch_row(g, b);
        if (rows == R)
            weights_tile(h, queries, j0 + t, &P);
        else
            less_weights(rows, x0, h, queries, limited, reach, j0 + t, &P);
    }
    for (size_t t = 0; t < n; t += rows) {
        matrix P = block(b->P, t, p * LANES, n - t, LANES);
        matrix dS = block(b->dS, t, p * LANES, n - t, LANES);

        rows = next_rows(x0 == 0, n - t);
        if (rows == R)
            gradients_tile(h, queries, j0 + t, &P, &dS);
        else
            less_gradients(rows, x0, h, queries, j0 + t, &P, &dS);
    }
}

/* Computes dV += P dO or dK += dS Q over queries i0 .. i1 - 1 of the block. */
static void add_to_rows(matrix out, matrix weights, size_t i0, size_t i1,
                        matrix queries)
{
    for (size_t c = 0; c < out.cols; c += C * W) {
        size_t left = (out.cols - c) / W, x0 = left < C ? C - left : 0;

        add_rows(
            x0, (matrix){out.data + c - x0 * W, out.rows, C * W, out.stride},
            (product){weights.data + i0, weights.stride, 1,
                      row(queries, i0) + c - x0 * W, queries.stride, i1 - i0});
    }
}

/* ANCHOR: kernel */
/* Adds to dQ, dK and dV for n <= KEYS keys from j0 on and for the queries in
 * vectors x0 .. C - 1 of panels p0 .. p1 - 1. */
static void visit(const gradients *g, simd_gradients *b, size_t p0, size_t p1,
                  size_t x0, bool limited, long reach, size_t j0, size_t n)
{
    const head *h = &g->h;
    matrix K = block(h->K.hbm, j0, 0, n, h->d);
    matrix dK = block(b->dK, j0, 0, n, b->dK.cols);
    matrix dV = block(b->dV, j0, 0, n, b->dV.cols);

    clear_to(b, j0 + n);

    /* scores: lines 10, 11, 13 and 14 of FlashAttention-2's Algorithm 2 */
    for (size_t p = p0; p < p1; p++)
        recompute(g, b, p, x0, limited, reach, j0, n);
    /* update: lines 12, 16 and 15 */
    add_to_rows(dV, b->P, p0 * LANES + x0 * W, p1 * LANES, b->dO);
    add_to_rows(dK, b->dS, p0 * LANES + x0 * W, p1 * LANES, b->Q);
    for (size_t p = p0; p < p1; p++)
        add_rows(x0, matrix_of(b->panels[p].dQt, h->d, LANES),
                 (product){K.data, 1, K.stride, b->dS.data + p * LANES,
                           b->dS.stride, n});
}

static bool backward_head(const gradients *g, float *all)
{
    const head *h = &g->h;
    simd_gradients b = gradients_in(g, all);
    vf check = {0};

    for (size_t i0 = 0; i0 < h->Nq; i0 += QUERIES) {
        size_t end = min_size(h->Nq, i0 + QUERIES), j = 0;
        size_t panels = tiles(end - i0, LANES);

        b.i0 = i0;
        b.prefetched = 0;
        /* load */
        for (size_t p = 0, i = i0; p < panels; p++, i += LANES)
            load_panel(g, &b.panels[p], i, min_size(LANES, end - i));
        for (size_t p = 0, i = i0; p < panels; p++, i += LANES) {
            size_t all_see = seen(h, one(i));
            size_t most = seen(h, span_of(i, min_size(LANES, end - i)));
            long reach = (long)i + h->rule.offset;

            /* keys that this panel and all later panels see */
            for (; j < all_see; j += min_size(KEYS, all_see - j))
                visit(g, &b, p, panels, 0, false, 0, j,
                      min_size(KEYS, all_see - j));
            /* the diagonal, where each query has its own limit */
            for (size_t k = j; k < most; k += W)
                visit(g, &b, p, p + 1, (size_t)((long)k - reach) / W, true,
                      reach, k, min_size(W, most - k));
        }
        /* finish */
        for (size_t p = 0, i = i0; p < panels; p++, i += LANES)
            check += store_panel(g, &b.panels[p], i, min_size(LANES, end - i));
    }
    clear_to(&b, h->Nk);
    return store_gradients(g, &b, check);
}
/* ANCHOR_END: kernel */

const fast_backward FOR_TARGET(backward_simd) = {backward_head,
                                                 gradient_floats};
