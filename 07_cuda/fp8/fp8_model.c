/*
 * Rung 11's attention in float64 (fp8_model.h).
 */
#include "07_cuda/fp8/fp8_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "07_cuda/fp8/fp8.h"

static void *new_array(size_t n, size_t size)
{
    void *a = malloc(n * size + 1);

    if (!a) {
        fprintf(stderr, "fp8_model: no memory for %zu numbers\n", n);
        exit(1);
    }
    return a;
}

fp8_numbers fp8_numbers_of(const rung_problem *p, bool quantised)
{
    fp8_arrays a = fp8_in(p);
    size_t heads = (size_t)p->heads, kv = heads / (size_t)p->group;
    size_t Nq = (size_t)p->Nq, Nk = (size_t)p->Nk, D = (size_t)p->D;
    size_t seen = (size_t)fp8_seen(p), keys = (size_t)a.keys;
    fp8_numbers x = {new_array(heads * Nq * D, sizeof(double)),
                     new_array(kv * Nk * D, sizeof(double)),
                     new_array(kv * Nk * D, sizeof(double))};

    for (size_t h = 0; h < heads; h++)
        for (size_t i = 0; i < Nq; i++)
            for (size_t c = 0; c < D; c++) {
                size_t e = (h * Nq + i) * D + c;
                size_t block = h * (size_t)a.q_blocks + i / FP8_QUERIES;

                x.Q[e] = quantised ? e4m3_value(a.Q[e]) * (double)a.q[block]
                                   : fp8_element(p->Q, p, h, Nq, i, c);
            }
    for (size_t h = 0; h < kv; h++)
        for (size_t j = 0; j < seen; j++)
            for (size_t c = 0; c < D; c++) {
                size_t e = (h * Nk + j) * D + c;
                size_t block = h * (size_t)a.k_blocks + j / FP8_KEYS;
                uint8_t k = a.K[(h * keys + j) * D + c];
                uint8_t v = a.V[(h * D + c) * keys + fp8_place_of(j)];

                x.K[e] = quantised ? e4m3_value(k) * (double)a.k[block]
                                   : fp8_element(p->K, p, h, Nk, j, c);
                x.V[e] = quantised ? e4m3_value(v) * (double)a.v[block]
                                   : fp8_element(p->V, p, h, Nk, j, c);
            }
    return x;
}

void fp8_numbers_free(fp8_numbers *x)
{
    free(x->Q);
    free(x->K);
    free(x->V);
}

/* What is summed of one row so far. slack: by how much the weights that are
 * next to the middle of two codes could be others. */
typedef struct {
    double *o, m, l, slack;
} row_sums;

/* 2^8 w rounded, times 2^-8; near: it could go either way. */
static double rounded(double w, double *near)
{
    double low = e4m3_value(e4m3_code(256 * (1 - 1e-5) * w)) / 256;
    double high = e4m3_value(e4m3_code(256 * (1 + 1e-5) * w)) / 256;

    *near = high - low;
    return e4m3_value(e4m3_code(256 * w)) / 256;
}

/* Takes a tile into a row: of `loaded` keys the first `seen` are attended. All
 * that are loaded are summed, if with weight 0: 0 times NaN is NaN. */
static void take_tile(const rung_problem *p, const double *q, const double *K,
                      const double *V, int seen, int loaded,
                      const fp8_rounding *how, row_sums *r)
{
    double s[FP8_KEYS], m_new = r->m, base, alpha;

    for (int j = 0; j < seen; j++) {
        s[j] = 0;
        for (int c = 0; c < p->D; c++)
            s[j] += q[c] * K[j * p->D + c];
        s[j] *= (double)p->scale * log2(exp(1));
        m_new = fmax(m_new, s[j]);
    }
    if (m_new - r->m <= how->tau)
        m_new = r->m;
    base = isinf(m_new) && m_new < 0 ? 0 : m_new;
    alpha = exp2(r->m - base);
    r->m = m_new;
    r->l *= alpha;
    r->slack *= alpha;
    for (int c = 0; c < p->D; c++)
        r->o[c] *= alpha;
    for (int j = 0; j < loaded; j++) {
        double w = j < seen ? exp2(s[j] - base) : 0, near = 0;

        r->l += w;
        if (how->weights)
            w = rounded(w, &near);
        r->slack += isfinite(near) ? near : 0;
        for (int c = 0; c < p->D; c++)
            r->o[c] += w * V[j * p->D + c];
    }
}

static int at_most(int a, int b)
{
    return a < b ? a : b;
}

void fp8_model_attend(const rung_problem *p, const fp8_numbers *x,
                      fp8_rounding how, double *O, double *L, double *slack)
{
    int Br = rung_Br(&ladder[RUNG_fp8], p->D);

    for (int row = 0; row < p->heads * p->Nq; row++) {
        int i = row % p->Nq, last = at_most((i / Br + 1) * Br, p->Nq) - 1;
        int mine = at_most(p->Nk, i + p->offset + 1);
        int all = at_most(p->Nk, last + p->offset + 1);
        size_t D = (size_t)p->D, q = (size_t)row * D;
        size_t kv = (size_t)(row / p->Nq / p->group * p->Nk) * D;
        row_sums r = {O + q, -HUGE_VAL, 0, 0};
        double inverse;

        for (size_t c = 0; c < D; c++)
            r.o[c] = 0;
        for (int j0 = 0; j0 < all; j0 += FP8_KEYS) {
            int loaded = at_most(FP8_KEYS, fp8_seen(p) - j0);

            take_tile(p, x->Q + q, x->K + kv + (size_t)j0 * D,
                      x->V + kv + (size_t)j0 * D, at_most(loaded, mine - j0),
                      loaded, &how, &r);
        }
        inverse = r.l == 0 ? 0 : 1 / r.l;
        for (size_t c = 0; c < D; c++)
            r.o[c] *= inverse;
        L[row] = r.m * log(2) + log(r.l);
        if (slack)
            slack[row] = r.slack * inverse;
    }
}
