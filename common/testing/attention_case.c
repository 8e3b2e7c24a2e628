/* Builds an attention head for a test (attention_case.h). */
#include "common/testing/attention_case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/testing/variant.h"

void *case_block(size_t n, size_t size)
{
    void *block = malloc(n * size);

    if (!block && n > 0) {
        fprintf(stderr, "attention_case: no memory for %zu elements\n", n);
        exit(1);
    }
    return block;
}

array case_array(size_t rows, size_t cols)
{
    float *data = case_block(rows * cols, sizeof *data);
    matrix a = matrix_of(data, rows, cols);

    fill(a, NAN);
    return (array){.hbm = a};
}

attention_case case_of(size_t Nq, size_t Nk, size_t d, size_t dv)
{
    random_source source = variant_seed(Nq + 7 * Nk + d);
    attention_case c = {
        .h = {.Nq = Nq,
              .Nk = Nk,
              .d = d,
              .dv = dv,
              .Q = case_array(Nq, d),
              .K = case_array(Nk, d),
              .V = case_array(Nk, dv),
              .O = case_array(Nq, dv),
              .L = case_array(Nq, 1),
              .scale = 1 / sqrtf((float)d)},
        .M = MEMORY_UNBOUNDED,
        .g = {.dO = case_array(Nq, dv)},
        .O = case_block(Nq * dv, sizeof(double)),
        .L = case_block(Nq, sizeof(double)),
    };

    random_fill(&source, c.g.dO.hbm.data, Nq * dv, 1);
    return c;
}

void case_free(attention_case *c)
{
    const head *h = &c->h;
    const array arrays[] = {h->Q,    h->K,    h->V,   h->rule.mask, h->O,
                            h->L,    h->P,    h->m,   h->l,         c->g.dO,
                            c->g.dQ, c->g.dK, c->g.dV};
    double *const expected[] = {c->O, c->L, c->dQ, c->dK, c->dV};

    for (size_t k = 0; k < sizeof arrays / sizeof *arrays; k++)
        free(arrays[k].hbm.data);
    for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
        free(expected[k]);
}

void case_backward(attention_case *c)
{
    head *h = &c->h;

    if (c->dQ)
        return;
    h->P = case_array(h->Nq, h->Nk);
    h->m = case_array(h->Nq, 1);
    h->l = case_array(h->Nq, 1);
    c->g.dQ = case_array(h->Nq, h->d);
    c->g.dK = case_array(h->Nk, h->d);
    c->g.dV = case_array(h->Nk, h->dv);
    c->dQ = case_block(h->Nq * h->d, sizeof *c->dQ);
    c->dK = case_block(h->Nk * h->d, sizeof *c->dK);
    c->dV = case_block(h->Nk * h->dv, sizeof *c->dV);
}

static void random_values(attention_case *c, uint64_t seed)
{
    random_source source = variant_seed(seed);

    random_fill(&source, c->h.V.hbm.data, c->h.Nk * c->h.dv, 1);
}

void case_same_values(attention_case *c, float v)
{
    fill(c->h.V.hbm, v);
}

void case_random(attention_case *c, uint64_t seed)
{
    random_source source = variant_seed(seed);

    random_fill(&source, c->h.Q.hbm.data, c->h.Nq * c->h.d, 4);
    random_fill(&source, c->h.K.hbm.data, c->h.Nk * c->h.d, 1);
    random_values(c, seed + 1);
}

static void fill_integers(random_source *source, float *x, size_t n)
{
    for (size_t i = 0; i < n; i++)
        x[i] = (float)random_below(source, 7) - 3; /* the variance is 4 */
}

void case_exact(attention_case *c, uint64_t seed)
{
    random_source source = variant_seed(seed);

    fill_integers(&source, c->h.Q.hbm.data, c->h.Nq * c->h.d);
    fill_integers(&source, c->h.K.hbm.data, c->h.Nk * c->h.d);
    random_values(c, seed + 1);
    /* The largest power of two that is at most 1 / sqrt(d). */
    c->h.scale = ldexpf(0.5f, ilogbf(2 / sqrtf((float)c->h.d)));
    c->exact = true;
}

void case_scores(attention_case *c, uint64_t seed)
{
    fill(c->h.Q.hbm, 1);
    random_values(c, seed);
    c->exact = true;
}

void case_mask(attention_case *c)
{
    c->h.rule.mask = case_array(c->h.Nq, c->h.Nk);
    fill(c->h.rule.mask.hbm, 0);
}

void case_causal(attention_case *c, long offset)
{
    c->h.rule.causal = true;
    c->h.rule.offset = offset;
}

void case_rules(attention_case *c, size_t kind, long offset)
{
    c->h.rule.offset = offset;
    c->h.rule.causal = kind & 1;
    c->h.rule.softcap = kind & 2 ? 5 : 0;
    c->h.rule.window = kind & 8 ? 11 : 0;
    if (!(kind & 4))
        return;
    case_mask(c);
    for (size_t i = 0; i < c->h.Nq; i++)
        for (size_t j = 0; j < c->h.Nk; j++)
            mask_of(c, i)[j] =
                (i * 5 + j * 3) % 7 ? (float)((i + j * 5) % 4) - 2 : -INFINITY;
}

void case_spoil_unseen(attention_case *c)
{
    const float junk[] = {NAN, INFINITY, -INFINITY};
    const head *h = &c->h;

    for (size_t j = 0; j < h->Nk; j++) {
        size_t i = 0;

        while (i < h->Nq && !visible(h, one(i), one(j)))
            i++;
        if (i < h->Nq)
            continue;
        k_of(c, j)[j % h->d] = junk[j % 3];
        v_of(c, j)[j % h->dv] = junk[(j + 1) % 3];
    }
    for (size_t i = 0; i < h->Nq; i++) {
        size_t j = 0;

        while (j < h->Nk && !visible(h, one(i), one(j)))
            j++;
        if (j < h->Nk)
            continue;
        q_of(c, i)[i % h->d] = junk[i % 3];
        dO_of(c, i)[i % h->dv] = junk[(i + 1) % 3];
    }
}

attention_case case_of_scores(size_t Nq, size_t Nk, size_t dv)
{
    attention_case c = case_of(Nq, Nk, 1, dv);

    case_scores(&c, Nk);
    return c;
}

void case_score(attention_case *c, size_t j, float s)
{
    *k_of(c, j) = s;
}
