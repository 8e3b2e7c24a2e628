/*
 * A panel: LANES queries in the layout of backward_simd. Compiled once for each
 * target (common/speed/targets.h). docs/backward.md
 */
#ifndef FLASH2_PANEL_H
#define FLASH2_PANEL_H

#include "06_flash2/backward/register_tile.h"
#include "common/gradients.h"

enum { LANES = C * W };

/* Rows are padded with zeros to whole vectors, and d and dv include the
 * padding. A query beyond the last query, or without keys to attend to, is a
 * row of zeros with L = infinity. */
typedef struct {
    matrix Q, dO;          /* LANES x d, LANES x dv; Q is times scale */
    float *Qt, *dOt, *dQt; /* transposed: d, dv and d rows of LANES floats */
    vf L[C], D[C];
} panel;

/* Stores x^T in t. x is LANES x cols, and t is cols x LANES. */
static void store_transposed(float *t, matrix x)
{
    for (size_t i = 0; i < LANES; i += W)
        for (size_t c = 0; c < x.cols; c += W) {
            vf v[W];

            EACH (k, 0, W)
                v[k] = load_lanes(row(x, i + k) + c);
            transpose(v);
            EACH (k, 0, W)
                store_lanes(t + (c + k) * LANES + i, v[k]);
        }
}

/* Returns n <= W floats, with zeros in the other lanes. */
INLINE vf load_some(const float *p, size_t n)
{
    vf x = {0};

    if (n == W)
        return load_lanes(p);
    memcpy(&x, p, n * sizeof *p);
    return x;
}

INLINE void store_some(float *p, vf x, size_t n)
{
    if (n == W)
        store_lanes(p, x);
    else
        memcpy(p, &x, n * sizeof *p);
}

/* Returns D = dO . O of n <= W queries from i0, one per lane. D and dP are sums
 * of the same operations in the same order. So for a query that attends to one
 * key, where O is the key's V, dP - D is exactly 0. */
static vf dot_by_lane(matrix O, size_t i0, size_t n, const float *dOt)
{
    vf D = {0};

    for (size_t c = 0; c < O.cols; c += W) {
        vf o[W] = {{0}};

        for (size_t k = 0; k < n; k++)
            o[k] = load_some(row(O, i0 + k) + c, min_size(W, O.cols - c));
        transpose(o);
        EACH (k, 0, W) {
            IN_REGISTER(o[k]);
            D += o[k] * load_lanes(dOt + (c + k) * LANES);
        }
    }
    return D;
}

/* Copies row i of a, padded with zeros to cols; only zeros if not `there`. */
static void load_row(float *to, size_t cols, bool there, matrix a, size_t i)
{
    size_t n = there ? a.cols : 0;

    if (there)
        memcpy(to, row(a, i), n * sizeof *to);
    memset(to + n, 0, (cols - n) * sizeof *to);
}

static void load_panel(const gradients *g, panel *p, size_t i0, size_t n)
{
    const head *h = &g->h;

    memset(p->dQt, 0, LANES * p->Q.cols * sizeof *p->dQt);
    for (size_t i = 0; i < LANES; i++) {
        float L = i < n ? *row(h->L.hbm, i0 + i) : -INFINITY;
        bool there = L != -INFINITY;

        load_row(row(p->Q, i), p->Q.cols, there, h->Q.hbm, i0 + i);
        load_row(row(p->dO, i), p->dO.cols, there, g->dO.hbm, i0 + i);
        for (size_t c = 0; c < p->Q.cols; c++)
            row(p->Q, i)[c] *= h->scale;
        p->L[i / W][i % W] = there ? L : INFINITY;
    }
    store_transposed(p->Qt, p->Q);
    store_transposed(p->dOt, p->dO);
    for (size_t i = 0; i < n; i += W)
        p->D[i / W] =
            dot_by_lane(h->O.hbm, i0 + i, min_size(W, n - i), p->dOt + i);
}

/* Stores dQ. Returns 0 in all lanes, but NaN in some lane if an element of dQ
 * is not finite. */
static vf store_panel(const gradients *g, const panel *p, size_t i0, size_t n)
{
    const head *h = &g->h;
    vf check = {0};

    for (size_t i = 0; i < n; i += W)
        for (size_t c = 0; c < h->d; c += W) {
            size_t cols = min_size(W, h->d - c);
            vf t[W];

            EACH (k, 0, W) {
                t[k] = load_lanes(p->dQt + (c + k) * LANES + i) * h->scale;
                check += t[k] * 0;
            }
            transpose(t);
            for (size_t k = 0; k < min_size(W, n - i); k++)
                store_some(row(g->dQ.hbm, i0 + i + k) + c, t[k], cols);
        }
    return check;
}

#endif
