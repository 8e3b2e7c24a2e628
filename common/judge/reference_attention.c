/*
 * Attention and its gradients in float64 (reference_attention.h).
 */
#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double minus_infinity = -(double)INFINITY;

double reference_score(const head *h, size_t i, size_t j)
{
    const float *q = row(h->Q.hbm, i), *k = row(h->K.hbm, j);
    double mask =
        h->rule.mask.hbm.data ? (double)row(h->rule.mask.hbm, i)[j] : 0;
    double cap = (double)h->rule.softcap, s = 0;
    long long after = (long long)i + h->rule.offset - (long long)j;
    unsigned long long far = (unsigned long long)llabs(after);

    if ((h->rule.causal && after < 0) || mask == minus_infinity ||
        (h->rule.window && far >= h->rule.window))
        return minus_infinity;
    for (size_t c = 0; c < h->d; c++)
        s += (double)q[c] * (double)k[c];
    s *= (double)h->scale;
    if (cap > 0)
        s = cap * tanh(s / cap);
    return s - (double)h->rule.slope * (double)far + mask;
}

/* In a row with a NaN or +inf, l is NaN; so are all weights, except 0 for a
 * score of -inf. */
static double weight(double s, double m, double l)
{
    return s == minus_infinity ? 0 : exp(s - m) / l;
}

void reference_weights(const head *h, size_t i, double *p, double *m, double *l)
{
    *m = minus_infinity;
    for (size_t j = 0; j < h->Nk; j++) {
        p[j] = reference_score(h, i, j);
        *m = fmax(*m, p[j]);
    }
    *l = 0;
    for (size_t j = 0; j < h->Nk; j++)
        *l += weight(p[j], *m, 1);
    for (size_t j = 0; j < h->Nk; j++)
        p[j] = weight(p[j], *m, *l);
}

double lse_with_sink(double L, double sink)
{
    double high = L < sink ? sink : L, low = L < sink ? L : sink;

    return isinf(low) ? high : high + log1p(exp(low - high));
}

double share_beside_sink(double L, double sink)
{
    return L == minus_infinity ? 0 : exp(L - lse_with_sink(L, sink));
}

/* o = p V, dv numbers. */
static void sum_values(const head *h, const double *p, double *o)
{
    for (size_t c = 0; c < h->dv; c++) {
        o[c] = 0;
        for (size_t j = 0; j < h->Nk; j++)
            if (p[j] != 0)
                o[c] += p[j] * (double)row(h->V.hbm, j)[c];
    }
}

int reference_attention(const head *h, double *O, double *L)
{
    double *p = malloc((h->Nk + 1) * sizeof *p), m, l;

    if (!p)
        return 1;
    for (size_t i = 0; i < h->Nq; i++) {
        reference_weights(h, i, p, &m, &l);
        sum_values(h, p, O + i * h->dv);
        if (L)
            L[i] = m + log(l);
    }
    free(p);
    return 0;
}

/* --- Backward pass ------------------------------------------------------- */

static double product(const float *a, const float *b, size_t n)
{
    double sum = 0;

    for (size_t c = 0; c < n; c++)
        sum += (double)a[c] * (double)b[c];
    return sum;
}

static void add_times(double *y, double a, const float *x, size_t n)
{
    for (size_t c = 0; c < n; c++)
        y[c] += a * (double)x[c];
}

static double slope(const head *h, const float *q, const float *k)
{
    double scale = (double)h->scale, cap = (double)h->rule.softcap, t;

    if (h->rule.softcap == 0)
        return scale;
    t = tanh(scale * product(q, k, h->d) / cap);
    return scale * (1 - t * t);
}

/* Computes dP and D, the sum over the row; returns the largest |dP|. */
static double score_row(const gradients *g, size_t i, const double *p,
                        double *dp, double *D)
{
    const head *h = &g->h;
    double largest = 0;

    *D = 0;
    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0) {
            dp[j] = product(row(g->dO.hbm, i), row(h->V.hbm, j), h->dv);
            *D += p[j] * dp[j];
            if (isfinite(dp[j]))
                largest = fmax(largest, fabs(dp[j]));
        }
    return largest;
}

static void add_row(const gradients *g, size_t i, const double *p,
                    const double *dp, double D, double *dQ, double *dK,
                    double *dV)
{
    const head *h = &g->h;
    const float *q = row(h->Q.hbm, i);

    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0) {
            const float *k = row(h->K.hbm, j);
            double ds = p[j] * (dp[j] - D) * slope(h, q, k);

            add_times(dV + j * h->dv, p[j], row(g->dO.hbm, i), h->dv);
            add_times(dQ + i * h->d, ds, k, h->d);
            add_times(dK + j * h->d, ds, q, h->d);
        }
}

double reference_gradients(const gradients *g, double sink, double *dQ,
                           double *dK, double *dV)
{
    const head *h = &g->h;
    double *p = malloc((2 * h->Nk + 1) * sizeof *p), *dp;
    double largest = 0, m, l, D, share;

    if (!p)
        return -1;
    dp = p + h->Nk;
    memset(dQ, 0, h->Nq * h->d * sizeof *dQ);
    if (!g->add) {
        memset(dK, 0, h->Nk * h->d * sizeof *dK);
        memset(dV, 0, h->Nk * h->dv * sizeof *dV);
    }
    for (size_t i = 0; i < h->Nq; i++) {
        reference_weights(h, i, p, &m, &l);
        share = share_beside_sink(m + log(l), sink);
        for (size_t j = 0; j < h->Nk; j++)
            if (p[j] != 0)
                p[j] *= share;
        largest = fmax(largest, score_row(g, i, p, dp, &D));
        add_row(g, i, p, dp, D, dQ, dK, dV);
    }
    free(p);
    return largest;
}
