#include "common/judge/reference_gradients.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/reference_attention.h"

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

double reference_gradient_row(const gradients *g, size_t i, double sink,
                              bool with_D, double *p, double *ds)
{
    const head *h = &g->h;
    const float *q = row(h->Q.hbm, i);
    double largest = 0, D = 0, m, l, share;

    reference_weights(h, i, p, &m, &l);
    share = share_with_sink(m + log(l), sink);
    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0) {
            p[j] *= share;
            ds[j] = product(row(g->dO.hbm, i), row(h->V.hbm, j), h->dv);
            D += p[j] == 0 ? 0 : p[j] * ds[j];
            if (isfinite(ds[j]))
                largest = fmax(largest, fabs(ds[j]));
        }
    for (size_t j = 0; j < h->Nk; j++)
        ds[j] = p[j] == 0 ? 0
                          : p[j] * (ds[j] - (with_D ? D : 0)) *
                                slope(h, q, row(h->K.hbm, j));
    return largest;
}

static void add_row(const gradients *g, size_t i, const double *p,
                    const double *ds, double *dQ, double *dK, double *dV)
{
    const head *h = &g->h;

    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0) {
            add_times(dV + j * h->dv, p[j], row(g->dO.hbm, i), h->dv);
            add_times(dQ + i * h->d, ds[j], row(h->K.hbm, j), h->d);
            add_times(dK + j * h->d, ds[j], row(h->Q.hbm, i), h->d);
        }
}

double reference_gradients(const gradients *g, double sink, double *dQ,
                           double *dK, double *dV)
{
    const head *h = &g->h;
    double *p = malloc((2 * h->Nk + 1) * sizeof *p), *ds, largest = 0;

    if (!p)
        return -1;
    ds = p + h->Nk;
    memset(dQ, 0, h->Nq * h->d * sizeof *dQ);
    if (!g->add) {
        memset(dK, 0, h->Nk * h->d * sizeof *dK);
        memset(dV, 0, h->Nk * h->dv * sizeof *dV);
    }
    for (size_t i = 0; i < h->Nq; i++) {
        largest =
            fmax(largest, reference_gradient_row(g, i, sink, true, p, ds));
        add_row(g, i, p, ds, dQ, dK, dV);
    }
    free(p);
    return largest;
}
