#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdlib.h>

#include "common/memory_limit.h"

static const double minus_infinity = -(double)INFINITY;

double *reference_numbers(size_t n)
{
    double bytes = ((double)n + 1) * sizeof(double);
    char why[MEMORY_WHY];

    return memory_exceeded_by(bytes, why) ? NULL
                                          : malloc((n + 1) * sizeof(double));
}

bool has_large_mask(const head *h, size_t i, size_t j)
{
    const float *mask = h->rule.mask.hbm.data ? row(h->rule.mask.hbm, i) : NULL;

    return mask && isfinite(mask[j]) && fabsf(mask[j]) >= 1024;
}

double reference_score(const head *h, size_t i, size_t j)
{
    const float *q = row(h->Q.hbm, i), *k = row(h->K.hbm, j);
    double mask =
        h->rule.mask.hbm.data ? (double)row(h->rule.mask.hbm, i)[j] : 0;
    double cap = (double)h->rule.softcap, s = 0;
    long long after = (long long)i + h->rule.offset - (long long)j;
    unsigned long long distance = (unsigned long long)llabs(after);

    if ((h->rule.causal && after < 0) || mask == minus_infinity ||
        (h->rule.window && distance >= h->rule.window))
        return minus_infinity;
    for (size_t c = 0; c < h->d; c++)
        s += (double)q[c] * (double)k[c];
    s *= (double)h->scale;
    if (cap > 0)
        s = cap * tanh(s / cap);
    s += mask - (double)h->rule.slope * (double)distance;
    return has_large_mask(h, i, j) ? (double)(float)s : s;
}

/* Returns e^{s - m} / l, or 0 if s is -inf. l can be NaN. */
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

double share_with_sink(double L, double sink)
{
    return L == minus_infinity ? 0 : exp(L - lse_with_sink(L, sink));
}

void reference_add_sink(double sink, size_t rows, size_t dv, double *O,
                        double *L)
{
    for (size_t i = 0; i < rows; i++) {
        double share = share_with_sink(L[i], sink);

        for (size_t c = 0; c < dv; c++)
            O[i * dv + c] *= share;
        L[i] = lse_with_sink(L[i], sink);
    }
}

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
