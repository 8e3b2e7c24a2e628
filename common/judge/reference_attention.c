/*
 * Attention in float64 (reference_attention.h).
 */
#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdlib.h>

static const double minus_infinity = -(double)INFINITY;

double reference_score(const head *h, size_t i, size_t j)
{
    const float *q = row(h->Q.hbm, i), *k = row(h->K.hbm, j);
    double mask = h->mask.hbm.data ? (double)row(h->mask.hbm, i)[j] : 0;
    double cap = (double)h->softcap, s = 0;
    long long after = (long long)i + h->offset - (long long)j;
    unsigned long long far = (unsigned long long)llabs(after);

    if ((h->causal && after < 0) || mask == minus_infinity ||
        (h->window && far >= h->window) || !in_block(h, i, j))
        return minus_infinity;
    for (size_t c = 0; c < h->d; c++)
        s += (double)q[c] * (double)k[c];
    s *= (double)h->scale;
    if (cap > 0)
        s = cap * tanh(s / cap);
    return s - (double)h->slope * (double)far + mask;
}

/* weights[j] = e^{s_j - m} in place of the scores; returns their sum. */
static double weigh(double *s, size_t n, double m)
{
    double sum = 0;

    for (size_t j = 0; j < n; j++) {
        s[j] = s[j] == minus_infinity ? 0 : exp(s[j] - m);
        sum += s[j];
    }
    return sum;
}

int reference_attention(const head *h, double *O, double *L)
{
    double *s = malloc((h->Nk + 1) * sizeof *s);

    if (!s)
        return 1;
    for (size_t i = 0; i < h->Nq; i++) {
        double m = h->sink ? (double)*h->sink : minus_infinity, l;
        double sink = m;

        for (size_t j = 0; j < h->Nk; j++) {
            s[j] = reference_score(h, i, j);
            m = fmax(m, s[j]);
        }
        l = weigh(s, h->Nk, m) + weigh(&sink, 1, m);
        for (size_t c = 0; c < h->dv; c++) {
            double o = 0;

            for (size_t j = 0; j < h->Nk; j++)
                if (s[j] != 0)
                    o += s[j] * (double)row(h->V.hbm, j)[c];
            O[i * h->dv + c] = l == 0 ? 0 : o / l;
        }
        if (L)
            L[i] = m + log(l);
    }
    free(s);
    return 0;
}
