/*
 * A block of queries as backward_simd keeps it, and the gradients of its head:
 * how Q and dO come in, how dQ, dK and dV leave. The same for each target that
 * backward_simd is compiled for (common/speed/targets.h).
 *
 * docs/backward.md
 */
#ifndef FLASH2_SIMD_GRADIENTS_H
#define FLASH2_SIMD_GRADIENTS_H

#include "06_flash2/backward/register_tile.h"
#include "common/gradients.h"

enum { LANES = C * W, PANELS = 2, QUERIES = PANELS * LANES, KEYS = 64 };

/* LANES queries, a lane each. Rows are padded with zeros to whole vectors: d and
 * dv are of padded ones. A query that is not there, or has nothing to attend to,
 * is a row of zeros with an L of infinity, which makes all its weights 0. */
typedef struct {
    float *Q, *dO;         /* LANES x d, dv; Q times scale */
    float *Qt, *dOt, *dQt; /* d, dv, d x LANES: transposed */
    float *P, *dS;         /* KEYS x LANES */
    vf L[C], D[C];
} panel;

typedef struct {
    size_t d, dv;
    panel panels[PANELS];
    matrix dK, dV; /* Nk x d, dv: sums over the blocks so far */
} simd_gradients;

static size_t padded(size_t n)
{
    return tiles(n, W) * W;
}

/* How many floats they take. */
static size_t gradient_floats(const head *h)
{
    size_t d = padded(h->d), dv = padded(h->dv);

    return QUERIES * (3 * d + 2 * dv + 2 * KEYS) + h->Nk * (d + dv);
}

/* n floats of those that are free. */
static float *take(float **free, size_t n)
{
    float *taken = *free;

    *free += n;
    return taken;
}

/* At once, if its rows lie one after the other. */
static void clear(matrix a)
{
    if (a.rows > 0 && a.stride == a.cols)
        a = matrix_of(a.data, 1, a.rows * a.cols);
    for (size_t i = 0; i < a.rows; i++)
        memset(row(a, i), 0, a.cols * sizeof *a.data);
}

/* Zeros to add to: where dK or dV are wanted, if they are whole vectors and
 * nothing there must be kept. */
static matrix sums_for(array a, bool add, float **free)
{
    size_t cols = padded(a.hbm.cols), n = a.hbm.rows;
    matrix sums = add || cols > a.hbm.cols
                      ? matrix_of(take(free, n * cols), n, cols)
                      : a.hbm;

    clear(sums);
    return sums;
}

static simd_gradients gradients_in(const gradients *g, float *free)
{
    simd_gradients b = {.d = padded(g->h.d), .dv = padded(g->h.dv)};

    for (size_t p = 0; p < PANELS; p++)
        b.panels[p] = (panel){.Q = take(&free, LANES * b.d),
                              .dO = take(&free, LANES * b.dv),
                              .Qt = take(&free, LANES * b.d),
                              .dOt = take(&free, LANES * b.dv),
                              .dQt = take(&free, LANES * b.d),
                              .P = take(&free, LANES * KEYS),
                              .dS = take(&free, LANES * KEYS)};
    b.dK = sums_for(g->dK, g->add, &free);
    b.dV = sums_for(g->dV, g->add, &free);
    return b;
}

/* t (cols x LANES) = x (LANES x cols)^T, W x W numbers at a time. */
static void turn(float *t, const float *x, size_t cols)
{
    for (size_t i = 0; i < LANES; i += W)
        for (size_t c = 0; c < cols; c += W) {
            vf v[W];

            EACH (k, 0, W)
                v[k] = load_lanes(x + (i + k) * cols + c);
            transpose(v);
            EACH (k, 0, W)
                store_lanes(t + (c + k) * LANES + i, v[k]);
        }
}

/* n <= W floats, and zeros in the other lanes. */
INLINE vf load_some(const float *p, size_t n)
{
    vf x = {0};

    if (n == W)
        return load_lanes(p);
    memcpy(&x, p, n * sizeof *p);
    return x;
}

/* The first n <= W lanes. */
INLINE void store_some(float *p, vf x, size_t n)
{
    if (n == W)
        store_lanes(p, x);
    else
        memcpy(p, &x, n * sizeof *p);
}

/* D of n <= W queries from i0 on, a lane each; dOt: their dO, turned. Their O is
 * turned here, so that D is summed by the operations by which dP is, and in
 * their order: with one key, where O is V, the difference dP - D is then 0. */
static vf turned_dot(matrix O, size_t i0, size_t n, const float *dOt)
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

/* Row i of a, and zeros for what it lacks of `cols`; zeros if it isn't there. */
static void load_row(float *to, size_t cols, bool there, matrix a, size_t i)
{
    size_t n = there ? a.cols : 0;

    if (there)
        memcpy(to, row(a, i), n * sizeof *to);
    memset(to + n, 0, (cols - n) * sizeof *to);
}

/* Queries i0 .. i0 + n - 1 of the head, n <= LANES. */
static void load_panel(const gradients *g, const simd_gradients *b, panel *p,
                       size_t i0, size_t n)
{
    const head *h = &g->h;

    prefetch(h->Q.hbm, i0 + QUERIES, n); /* for the next block */
    prefetch(h->O.hbm, i0 + QUERIES, n);
    prefetch(g->dO.hbm, i0 + QUERIES, n);
    prefetch(g->dQ.hbm, i0, n); /* to be stored at the end of this one */
    memset(p->dQt, 0, LANES * b->d * sizeof *p->dQt);
    for (size_t i = 0; i < LANES; i++) {
        float L = i < n ? *row(h->L.hbm, i0 + i) : -INFINITY;
        bool there = L != -INFINITY;

        load_row(p->Q + i * b->d, b->d, there, h->Q.hbm, i0 + i);
        load_row(p->dO + i * b->dv, b->dv, there, g->dO.hbm, i0 + i);
        p->L[i / W][i % W] = there ? L : INFINITY;
    }
    for (size_t e = 0; e < LANES * b->d; e++)
        p->Q[e] *= h->scale;
    turn(p->Qt, p->Q, b->d);
    turn(p->dOt, p->dO, b->dv);
    for (size_t i = 0; i < n; i += W)
        p->D[i / W] =
            turned_dot(h->O.hbm, i0 + i, min_size(W, n - i), p->dOt + i);
}

/* dQ of these queries. Gives zeros, and NaN in some lane if some dQ is no finite
 * number: x * 0. */
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

/* The same for sums of keys. */
static vf check_keys(matrix sums)
{
    vf check = {0};

    for (size_t j = 0; j < sums.rows; j++)
        for (size_t c = 0; c < sums.cols; c += W)
            check += load_lanes(row(sums, j) + c) * 0;
    return check;
}

/* The sums of keys as dK or dV, if they aren't there yet. */
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

/* dK and dV, if they and what was checked before are finite numbers. */
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
