/*
 * Makes problems and computes attention in float64, for the model of rung 11
 * (fp8_model.h).
 */
#include "07_cuda/fp8/fp8_model.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "07_cuda/fp8/fp8.h"

static void *bytes_of(size_t n, int value)
{
    void *a = malloc(n + 1);

    if (!a) {
        fprintf(stderr, "fp8_model: no memory for %zu bytes\n", n);
        exit(1);
    }
    return memset(a, value, n);
}

static uint16_t *normal(random_source *source, size_t n, double spread)
{
    uint16_t *a = bytes_of(n * sizeof *a, 0);

    for (size_t e = 0; e < n; e++)
        a[e] = to_bf16((float)(spread * random_normal(source)));
    return a;
}

size_t fp8_count_q(const rung_problem *p)
{
    return (size_t)p->heads * (size_t)p->Nq * (size_t)p->D;
}

size_t fp8_count_k(const rung_problem *p)
{
    return (size_t)(p->heads / p->group) * (size_t)p->Nk * (size_t)p->D;
}

double fp8_number(const void *a, size_t e)
{
    return (double)from_bf16(((const uint16_t *)a)[e]);
}

rung_problem fp8_problem(const fp8_shape *s, double spread, uint64_t seed)
{
    random_source source = random_seed(seed);
    rung_problem p = {.type = BF16,
                      .heads = s->heads,
                      .group = s->group,
                      .Nq = s->Nq,
                      .Nk = s->Nk,
                      .D = s->D,
                      .scale = 1 / sqrtf((float)s->D),
                      .offset = s->offset};

    p.Q = normal(&source, fp8_count_q(&p), spread);
    p.K = normal(&source, fp8_count_k(&p), 1);
    p.V = normal(&source, fp8_count_k(&p), 1);
    p.O = bytes_of(fp8_count_q(&p) * 2, 0xff);
    p.L = bytes_of((size_t)(p.heads * p.Nq) * sizeof *p.L, 0xff);
    p.scratch = bytes_of(fp8_in(&p).bytes, 0xaa);
    return p;
}

void fp8_problem_free(rung_problem *p)
{
    void *all[] = {(void *)p->Q, (void *)p->K, (void *)p->V,
                   p->O,         p->L,         p->scratch};

    for (int a = 0; a < 6; a++)
        free(all[a]);
}

fp8_numbers fp8_numbers_of(const rung_problem *p, bool quantised)
{
    fp8_arrays a = fp8_in(p);
    size_t of_Q = fp8_count_q(p), of_K = fp8_count_k(p);
    fp8_numbers x = {bytes_of(of_Q * sizeof(double), 0),
                     bytes_of(of_K * sizeof(double), 0),
                     bytes_of(of_K * sizeof(double), 0)};

    for (size_t e = 0; e < of_Q; e++)
        x.Q[e] = quantised
                     ? e4m3_value(a.Q[e]) * (double)a.q[fp8_block_of(p, e)]
                     : fp8_number(p->Q, e);
    for (size_t e = 0; e < of_K; e++) {
        fp8_place at = fp8_place_of(p, e);

        if (at.key >= (size_t)fp8_seen(p))
            continue;
        x.K[e] = quantised ? e4m3_value(a.K[at.k]) * (double)a.k[at.block]
                           : fp8_number(p->K, e);
        x.V[e] = quantised ? e4m3_value(a.V[at.v]) * (double)a.v[at.block]
                           : fp8_number(p->V, e);
    }
    return x;
}

void fp8_numbers_free(fp8_numbers *x)
{
    free(x->Q);
    free(x->K);
    free(x->V);
}

double fp8_distance(const rung_problem *p, const double *O, const double *want,
                    size_t from, size_t to)
{
    double square = 0, whole = 0;

    for (size_t e = from; e < to; e++) {
        double off = (O ? O[e] : fp8_number(p->O, e)) - want[e];

        square += off * off;
        whole += want[e] * want[e];
    }
    return sqrt(square / whole);
}

/* The state of one row after the tiles so far. slack is how much the sum of the
 * rounded weights may differ in the kernel. Near the middle between two codes,
 * fp32 may round a weight to the other code. */
typedef struct {
    double *o, m, l, slack;
} row_sums;

/* Returns 2^8 w rounded to e4m3, times 2^-8. Near the middle between two codes,
 * fp32 may select either code. Then *near is the distance between the two
 * results, else 0. */
static double rounded(double w, double *near)
{
    double low = e4m3_value(e4m3_code(256 * (1 - 1e-5) * w)) / 256;
    double high = e4m3_value(e4m3_code(256 * (1 + 1e-5) * w)) / 256;

    *near = high - low;
    return e4m3_value(e4m3_code(256 * w)) / 256;
}

/* Adds a tile of `loaded` keys to a row that sees the tile's first `seen` keys.
 * V of other keys is multiplied by 0, as in the kernel: 0 times NaN is NaN. */
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
    size_t D = (size_t)p->D;

    for (int row = 0; row < p->heads * p->Nq; row++) {
        int i = row % p->Nq, last = at_most((i / Br + 1) * Br, p->Nq) - 1;
        int mine = at_most(p->Nk, i + p->offset + 1);
        int all = at_most(p->Nk, last + p->offset + 1);
        size_t q = (size_t)row * D;
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
