/*
 * Attention in float64 (reference_attention.h).
 */
#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdlib.h>

static const double minus_infinity = -(double)INFINITY;

/* Is it a block to attend to? */
static bool in_block(const rule *r, size_t i, size_t j)
{
    size_t a = r->blocks.i0 + i, b = r->blocks.j0 + j, size = r->blocks.size;

    return !r->blocks.of.data || row(r->blocks.of, a / size)[b / size] != 0;
}

double reference_score(const head *h, size_t i, size_t j)
{
    const float *q = row(h->Q.hbm, i), *k = row(h->K.hbm, j);
    double mask =
        h->rule.mask.hbm.data ? (double)row(h->rule.mask.hbm, i)[j] : 0;
    double cap = (double)h->rule.softcap, s = 0;
    long long after = (long long)i + h->rule.offset - (long long)j;
    unsigned long long far = (unsigned long long)llabs(after);

    if ((h->rule.causal && after < 0) || mask == minus_infinity ||
        (h->rule.window && far >= h->rule.window) || !in_block(&h->rule, i, j))
        return minus_infinity;
    for (size_t c = 0; c < h->d; c++)
        s += (double)q[c] * (double)k[c];
    s *= (double)h->scale;
    if (cap > 0)
        s = cap * tanh(s / cap);
    return s - (double)h->rule.slope * (double)far + mask;
}

/* Of a row with a NaN or +inf l is NaN, and so is each weight but that of
 * a score of -inf. */
static double weight(double s, double m, double l)
{
    return s == minus_infinity ? 0 : exp(s - m) / l;
}

void reference_weights(const head *h, size_t i, double *p, double *m, double *l)
{
    double sink = h->rule.sink ? (double)*h->rule.sink : minus_infinity;

    *m = sink;
    for (size_t j = 0; j < h->Nk; j++) {
        p[j] = reference_score(h, i, j);
        *m = fmax(*m, p[j]);
    }
    *l = weight(sink, *m, 1);
    for (size_t j = 0; j < h->Nk; j++)
        *l += weight(p[j], *m, 1);
    for (size_t j = 0; j < h->Nk; j++)
        p[j] = weight(p[j], *m, *l);
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

int reference_forward(const head *h)
{
    double *p = malloc((h->Nk + h->dv + 1) * sizeof *p), *o, m, l;

    if (!p)
        return 1;
    o = p + h->Nk;
    for (size_t i = 0; i < h->Nq; i++) {
        reference_weights(h, i, p, &m, &l);
        sum_values(h, p, o);
        for (size_t c = 0; c < h->dv; c++)
            row(h->O.hbm, i)[c] = (float)o[c];
        *row(h->L.hbm, i) = (float)(m + log(l));
        for (size_t j = 0; j < h->Nk && h->P.hbm.data; j++)
            row(h->P.hbm, i)[j] = (float)p[j];
        if (h->m.hbm.data)
            *row(h->m.hbm, i) = (float)m;
        if (h->l.hbm.data)
            *row(h->l.hbm, i) = (float)l;
    }
    free(p);
    return 0;
}
