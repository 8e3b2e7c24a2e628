/*
 * The buffers of backward_simd for a head. Compiled once for each target
 * (common/speed/targets.h). docs/backward.md
 */
#ifndef FLASH2_SIMD_GRADIENTS_H
#define FLASH2_SIMD_GRADIENTS_H

#include "06_flash2/backward/panel.h"

enum { PANELS = 2, QUERIES = PANELS * LANES, KEYS = 96 };

typedef struct {
    matrix Q, dO; /* of all panels: QUERIES x d, QUERIES x dv */
    matrix P, dS; /* KEYS x QUERIES */
    panel panels[PANELS];
    matrix dK, dV;     /* Nk x d, Nk x dv: sums over the blocks so far */
    size_t cleared;    /* initialised rows of dK and dV */
    size_t i0;         /* the first query of the block */
    size_t prefetched; /* rows for which prefetch_row ran */
} simd_gradients;

static size_t padded(size_t n)
{
    return tiles(n, W) * W;
}

/* Returns a row stride, in floats: an odd number of vectors. With a power of 2
 * all rows would map to a few cache sets. */
static size_t odd_stride(size_t cols)
{
    return (tiles(cols, W) | 1) * W;
}

static size_t gradient_floats(const head *h)
{
    size_t d = padded(h->d), dv = padded(h->dv);

    return QUERIES * (2 * d + dv + odd_stride(d) + odd_stride(dv)) +
           2 * KEYS * odd_stride(QUERIES) + h->Nk * (d + dv);
}

static float *take(float **free, size_t n)
{
    float *taken = *free;

    *free += n;
    return taken;
}

static matrix take_matrix(float **free, size_t rows, size_t cols)
{
    size_t stride = odd_stride(cols);

    return (matrix){take(free, rows * stride), rows, cols, stride};
}

static void clear_rows(matrix a)
{
    if (a.rows > 0 && a.stride == a.cols)
        a = matrix_of(a.data, 1, a.rows * a.cols);
    for (size_t i = 0; i < a.rows; i++)
        memset(row(a, i), 0, a.cols * sizeof *a.data);
}

/* Returns the caller's array if its rows are whole vectors and its old contents
 * are not needed, else a buffer. */
static matrix sums_for(array a, bool add, float **free)
{
    size_t cols = padded(a.hbm.cols), n = a.hbm.rows;
    return add || cols > a.hbm.cols ? matrix_of(take(free, n * cols), n, cols)
                                    : a.hbm;
}

static simd_gradients gradients_in(const gradients *g, float *free)
{
    size_t d = padded(g->h.d), dv = padded(g->h.dv);
    simd_gradients b = {.Q = take_matrix(&free, QUERIES, d),
                        .dO = take_matrix(&free, QUERIES, dv),
                        .P = take_matrix(&free, KEYS, QUERIES),
                        .dS = take_matrix(&free, KEYS, QUERIES)};

    for (size_t p = 0; p < PANELS; p++)
        b.panels[p] = (panel){.Q = block(b.Q, p * LANES, 0, LANES, d),
                              .dO = block(b.dO, p * LANES, 0, LANES, dv),
                              .Qt = take(&free, LANES * d),
                              .dOt = take(&free, LANES * dv),
                              .dQt = take(&free, LANES * d)};
    b.dK = sums_for(g->dK, g->add, &free);
    b.dV = sums_for(g->dV, g->add, &free);
    return b;
}

static void clear_to(simd_gradients *b, size_t end)
{
    if (end <= b->cleared)
        return;
    clear_rows(block(b->dK, b->cleared, 0, end - b->cleared, b->dK.cols));
    clear_rows(block(b->dV, b->cleared, 0, end - b->cleared, b->dV.cols));
    b->cleared = end;
}

/* Prefetches one row of Q, O and dO of the next block, and one row of dQ of
 * this block. Calls between products spread the loads over time. */
static void prefetch_row(const gradients *g, simd_gradients *b)
{
    size_t i = b->i0 + b->prefetched;

    if (b->prefetched == QUERIES)
        return;
    prefetch(g->dQ.hbm, i, 1);
    prefetch(g->h.Q.hbm, i + QUERIES, 1);
    prefetch(g->h.O.hbm, i + QUERIES, 1);
    prefetch(g->dO.hbm, i + QUERIES, 1);
    b->prefetched++;
}

/* Returns 0 in all lanes, but NaN in some lane if a sum is not finite. */
static vf check_keys(matrix sums)
{
    vf check = {0};

    for (size_t j = 0; j < sums.rows; j++)
        for (size_t c = 0; c < sums.cols; c += W)
            check += load_lanes(row(sums, j) + c) * 0;
    return check;
}

/* Stores the sums in a, or adds them if g->add. Does nothing if a has them. */
static void store_keys(const gradients *g, array a, matrix sums)
{
    if (sums.data == a.hbm.data)
        return;
    for (size_t j = 0; j < a.hbm.rows; j++)
        for (size_t c = 0; c < a.hbm.cols; c += W) {
            vf x = load_lanes(row(sums, j) + c);
            float *to = row(a.hbm, j) + c;
            size_t n = min_size(W, a.hbm.cols - c);

            store_some(to, g->add ? load_some(to, n) + x : x, n);
        }
}

/* Returns false without a copy if a sum is not finite or `check` has a NaN. */
static bool store_gradients(const gradients *g, const simd_gradients *b,
                            vf check)
{
    check += check_keys(b->dK) + check_keys(b->dV);
    if (any_lane(~(check == 0)))
        return false;
    store_keys(g, g->dK, b->dK);
    store_keys(g, g->dV, b->dV);
    return true;
}

#endif
