#include "tools/flash/large_masks.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"

/* Computes the scores without the mask, s, of the keys with a weight p. Returns
 * the largest |s|, or 0 if no key with a weight has a large mask. */
static double bare_scores(const head *h, size_t i, const double *p, double *s)
{
    head bare = *h;
    double largest = 0;
    bool masked = false;

    bare.rule.mask.hbm.data = NULL;
    for (size_t j = 0; j < h->Nk; j++) {
        if (p[j] == 0)
            continue;
        s[j] = reference_score(&bare, i, j);
        largest = fmax(largest, fabs(s[j]));
        masked = masked || has_large_mask(h, i, j);
    }
    return masked ? largest : 0;
}

/* Returns the spacing of the sums score + mask, which are about m, or 0 if their
 * rounding does not depend on the last bits of scores up to `largest`. */
static double spacing_of(double m, double largest)
{
    float size = fabsf((float)m);
    double spacing = (double)nextafterf(size, INFINITY) - (double)size;

    return largest >= spacing / 4 ? spacing : 0;
}

/* Returns a bound, divided by |o|, of how far o moves per unit by which each of
 * the scores may move. The derivative of o by score j is p[j] (v_j - o). */
static double moved_by_weights(const head *h, const double *p, const double *o)
{
    double sum = 0;

    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0)
            sum += p[j] * distance_from(row(h->V.hbm, j), o, h->dv);
    return sum / norm_of(o, h->dv);
}

/* Ways to add a mask to a score other than reference_score's: in float64, in
 * float64 relative to the largest mask of the row, and in fp32 in base 2. */
enum { FLOAT64, RELATIVE, BASE_2, WAYS };

static double sum_of(int way, double s, double mask, double largest)
{
    const double log2_e = 1 / log(2);

    return way == FLOAT64 ? s + mask
           : way == RELATIVE
               ? s + (mask - largest)
               : (double)(float)(s * log2_e + (double)(float)(mask * log2_e)) /
                     log2_e;
}

/* Computes row i from the scores without the mask, s, of keys with a weight p. */
static void compute_row(const head *h, size_t i, int way, const double *p,
                        const double *s, double *o)
{
    const float *mask = row(h->rule.mask.hbm, i);
    double largest = -HUGE_VAL, m = largest, l = 0;

    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0)
            largest = fmax(largest, (double)mask[j]);
    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0)
            m = fmax(m, sum_of(way, s[j], (double)mask[j], largest));
    memset(o, 0, h->dv * sizeof *o);
    for (size_t j = 0; j < h->Nk; j++)
        if (p[j] != 0) {
            double w = exp(sum_of(way, s[j], (double)mask[j], largest) - m);

            l += w;
            for (size_t c = 0; c < h->dv; c++)
                o[c] += w * (double)row(h->V.hbm, j)[c];
        }
    for (size_t c = 0; c < h->dv; c++)
        o[c] /= l;
}

int accept_large_masks(const head *h, double sink, const float *got,
                       double most, double *O)
{
    double *p = malloc((2 * h->Nk + h->dv + 1) * sizeof *p), *s, *o, m, l;

    if (!p)
        return 1;
    s = p + h->Nk;
    o = s + h->Nk;
    for (size_t i = 0; i < h->Nq && h->rule.mask.hbm.data; i++) {
        const float *mine = got + i * h->dv;
        double *right = O + i * h->dv, largest;

        reference_weights(h, i, p, &m, &l);
        largest = bare_scores(h, i, p, s);
        for (int way = 0; way < WAYS && largest > 0; way++) {
            compute_row(h, i, way, p, s, o);
            for (size_t c = 0; c < h->dv; c++)
                o[c] *= share_with_sink(m + log(l), sink);
            if (distance_from(mine, o, h->dv) <
                distance_from(mine, right, h->dv))
                memcpy(right, o, h->dv * sizeof *o);
        }
        if (relative_error(mine, right, h->dv) <=
            fmin(spacing_of(m, largest) * moved_by_weights(h, p, right), most))
            for (size_t c = 0; c < h->dv; c++)
                right[c] = (double)mine[c];
    }
    free(p);
    return 0;
}

double large_mask_spacing(const head *h)
{
    double *p = malloc((2 * h->Nk + 1) * sizeof *p), m, l, spacing = p ? 0 : -1;

    for (size_t i = 0; i < h->Nq && h->rule.mask.hbm.data && p; i++) {
        reference_weights(h, i, p, &m, &l);
        spacing = fmax(spacing, spacing_of(m, bare_scores(h, i, p, p + h->Nk)));
    }
    free(p);
    return spacing;
}
