/*
 * The backward pass in float64 (reference_gradients.h).
 */
#include "common/judge/reference_gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_attention.h"

typedef struct {
    double *p, *dp; /* of one row: Nk */
    double m, l;
} a_row;

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
    double scale = (double)h->scale, cap = (double)h->softcap, t;

    if (h->softcap == 0)
        return scale;
    t = tanh(scale * product(q, k, h->d) / cap);
    return scale * (1 - t * t);
}

/* dP and its sum over the row, D; returns the largest |dP|. */
static double score_row(const gradients *g, size_t i, a_row *r, double *D)
{
    const head *h = &g->h;
    double largest = 0;

    *D = 0;
    for (size_t j = 0; j < h->Nk; j++)
        if (r->p[j] != 0) {
            r->dp[j] = product(row(g->dO.hbm, i), row(h->V.hbm, j), h->dv);
            *D += r->p[j] * r->dp[j];
            if (isfinite(r->dp[j]))
                largest = fmax(largest, fabs(r->dp[j]));
        }
    return largest;
}

static void add_row(const gradients *g, size_t i, const a_row *r, double D,
                    double *dQ, double *dK, double *dV)
{
    const head *h = &g->h;
    const float *q = row(h->Q.hbm, i);

    for (size_t j = 0; j < h->Nk; j++)
        if (r->p[j] != 0) {
            const float *k = row(h->K.hbm, j);
            double ds = r->p[j] * (r->dp[j] - D) * slope(h, q, k);

            add_times(dV + j * h->dv, r->p[j], row(g->dO.hbm, i), h->dv);
            add_times(dQ + i * h->d, ds, k, h->d);
            add_times(dK + j * h->d, ds, q, h->d);
        }
}

static a_row new_row(const head *h)
{
    double *both = malloc((2 * h->Nk + 1) * sizeof *both);

    return (a_row){.p = both, .dp = both ? both + h->Nk : NULL};
}

double reference_gradients(const gradients *g, double *dQ, double *dK,
                           double *dV)
{
    const head *h = &g->h;
    a_row r = new_row(h);
    double largest = 0, D;

    if (!r.p)
        return -1;
    memset(dQ, 0, h->Nq * h->d * sizeof *dQ);
    if (!g->add) {
        memset(dK, 0, h->Nk * h->d * sizeof *dK);
        memset(dV, 0, h->Nk * h->dv * sizeof *dV);
    }
    for (size_t i = 0; i < h->Nq; i++) {
        reference_weights(h, i, r.p, &r.m, &r.l);
        largest = fmax(largest, score_row(g, i, &r, &D));
        add_row(g, i, &r, D, dQ, dK, dV);
    }
    free(r.p);
    return largest;
}

int reference_forward(const head *h)
{
    a_row r = new_row(h);
    double *O = malloc((h->Nq * h->dv + 1) * sizeof *O);
    double *L = malloc((h->Nq + 1) * sizeof *L);
    int failed = !r.p || !O || !L || reference_attention(h, O, L);

    for (size_t i = 0; i < h->Nq && !failed; i++) {
        for (size_t c = 0; c < h->dv; c++)
            row(h->O.hbm, i)[c] = (float)O[i * h->dv + c];
        *row(h->L.hbm, i) = (float)L[i];
        reference_weights(h, i, r.p, &r.m, &r.l);
        for (size_t j = 0; j < h->Nk && h->kept.P.hbm.data; j++)
            row(h->kept.P.hbm, i)[j] = (float)r.p[j];
        if (h->kept.m.hbm.data)
            *row(h->kept.m.hbm, i) = (float)r.m;
        if (h->kept.l.hbm.data)
            *row(h->kept.l.hbm, i) = (float)r.l;
    }
    free(r.p);
    free(O);
    free(L);
    return failed;
}
