/*
 * A block of queries as backward_simd keeps it, and the gradients of its head:
 * how Q and dO come in, how dQ, dK and dV leave. The same for each target that
 * backward_simd is compiled for (common/speed/targets.h).
 *
 * docs/backward.md
 */
#ifndef FLASH2_SIMD_GRADIENTS_H
#define FLASH2_SIMD_GRADIENTS_H

#include "06_flash2/fast/simd.h"
#include "common/gradients.h"

/* R C sums, C vectors of one factor, a number of the other: the 32 registers
 * of AVX-512 or NEON, the 16 of AVX2 and SSE2. */
#if defined(__AVX512F__) || defined(__aarch64__)
enum { R = 4, C = 4 };
#else
enum { R = 4, C = 3 };
#endif
enum { QUERIES = C * W, KEYS = 64 };

/* Rows are padded with zeros to whole vectors: d and dv are of padded ones. A
 * query that is not there, or has nothing to attend to, is a row of zeros with
 * an L of infinity, which makes all its weights 0. */
typedef struct {
    size_t d, dv;
    float *Q, *dO;         /* QUERIES x d, dv */
    float *Qt, *dOt, *dQt; /* d, dv, d x QUERIES: transposed; Qt times scale */
    float *P, *dS;         /* KEYS x QUERIES */
    float *dK, *dV;        /* Nk x d, dv: sums over the blocks so far */
    vf L[C], D[C];         /* of the queries */
} simd_gradients;

static size_t padded(size_t n)
{
    return tiles(n, W) * W;
}

/* How many floats they take. */
static size_t gradient_floats(const head *h)
{
    size_t d = padded(h->d), dv = padded(h->dv);

    return QUERIES * (4 * d + 2 * dv + 2 * KEYS) + h->Nk * (d + dv);
}

static simd_gradients gradients_in(const head *h, float *all)
{
    simd_gradients b = {.d = padded(h->d), .dv = padded(h->dv)};

    b.Qt = all;
    b.dOt = b.Qt + QUERIES * b.d;
    b.dQt = b.dOt + QUERIES * b.dv;
    b.Q = b.dQt + QUERIES * b.d;
    b.dO = b.Q + QUERIES * b.d;
    b.P = b.dO + QUERIES * b.dv;
    b.dS = b.P + QUERIES * KEYS;
    b.dK = b.dS + QUERIES * KEYS;
    b.dV = b.dK + h->Nk * b.d;
    memset(b.dK, 0, h->Nk * (b.d + b.dv) * sizeof *b.dK);
    return b;
}

/* t (cols x QUERIES) = x (QUERIES x cols)^T, W x W numbers at a time. */
static void turn(float *t, const float *x, size_t cols)
{
    for (size_t i = 0; i < QUERIES; i += W)
        for (size_t c = 0; c < cols; c += W) {
            vf v[W];

            EACH (k, 0, W)
                v[k] = load_lanes(x + (i + k) * cols + c);
            transpose(v);
            EACH (k, 0, W)
                store_lanes(t + (c + k) * QUERIES + i, v[k]);
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
            D += o[k] * load_lanes(dOt + (c + k) * QUERIES);
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

/* Queries i0 .. i0 + n - 1 of the head. */
static void load_block(const gradients *g, simd_gradients *b, size_t i0,
                       size_t n)
{
    const head *h = &g->h;

    memset(b->dQt, 0, QUERIES * b->d * sizeof *b->dQt);
    for (size_t i = 0; i < QUERIES; i++) {
        float L = i < n ? *row(h->L.hbm, i0 + i) : -INFINITY;
        bool there = L != -INFINITY;

        load_row(b->Q + i * b->d, b->d, there, h->Q.hbm, i0 + i);
        load_row(b->dO + i * b->dv, b->dv, there, g->dO.hbm, i0 + i);
        b->L[i / W][i % W] = there ? L : INFINITY;
    }
    turn(b->Qt, b->Q, b->d);
    turn(b->dOt, b->dO, b->dv);
    for (size_t i = 0; i < n; i += W)
        b->D[i / W] =
            turned_dot(h->O.hbm, i0 + i, min_size(W, n - i), b->dOt + i);
    for (size_t e = 0; e < b->d * QUERIES; e++)
        b->Qt[e] *= h->scale;
}

/* dQ of n queries from i0 on. Gives zeros, and NaN in some lane if some dQ is
 * no finite number: x * 0. */
static vf store_block(const gradients *g, const simd_gradients *b, size_t i0,
                      size_t n)
{
    const head *h = &g->h;
    vf check = {0};

    for (size_t i = 0; i < n; i += W)
        for (size_t c = 0; c < h->d; c += W) {
            size_t cols = min_size(W, h->d - c);
            vf t[W];

            EACH (k, 0, W) {
                t[k] = load_lanes(b->dQt + (c + k) * QUERIES + i) * h->scale;
                check += t[k] * 0;
            }
            transpose(t);
            for (size_t k = 0; k < min_size(W, n - i); k++)
                store_some(row(g->dQ.hbm, i0 + i + k) + c, t[k], cols);
        }
    return check;
}

/* The sums of rows keys, times factor, as dK or dV. */
static void store_keys(const gradients *g, array a, const float *sums,
                       size_t cols, float factor)
{
    for (size_t j = 0; j < a.hbm.rows; j++)
        for (size_t c = 0; c < a.hbm.cols; c += W) {
            vf x = load_lanes(sums + j * cols + c) * factor;
            float *to = row(a.hbm, j) + c;
            size_t n = min_size(W, a.hbm.cols - c);

            store_some(to, g->add ? load_some(to, n) + x : x, n);
        }
}

/* dK and dV, if they and what was checked before are finite numbers; else
 * nothing. */
static bool store_gradients(const gradients *g, const simd_gradients *b,
                            vf check)
{
    for (size_t e = 0; e < g->h.Nk * (b->d + b->dv); e += W)
        check += load_lanes(b->dK + e) * 0;
    if (any_lane(~(check == 0)))
        return false;
    store_keys(g, g->dK, b->dK, b->d, g->h.scale);
    store_keys(g, g->dV, b->dV, b->dv, 1);
    return true;
}

#endif
