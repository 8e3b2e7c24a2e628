/*
 * Compares reference_gradients with central differences: the change of the loss
 * sum(dO o O) when one element of Q, K or V changes. The forward pass in this
 * file is an independent implementation in float64.
 */
#include "common/judge/reference_attention.h"
#include "common/judge/reference_gradients.h"

#include <math.h>

#include "common/data/random.h"
#include "common/testing/assert_close.h"
#include "common/testing/run_tests.h"

enum { MOST = 12 * 12 };

/* A head in float64: differences of fp32 numbers would be too inexact. */
typedef struct {
    head h;
    double Q[MOST], K[MOST], V[MOST], dO[MOST];
} exact_head;

static double score_of(const exact_head *x, size_t i, size_t j)
{
    const head *h = &x->h;
    double z = 0, cap = (double)h->rule.softcap;

    if (h->rule.causal && (long)j > (long)i + h->rule.offset)
        return -HUGE_VAL;
    for (size_t c = 0; c < h->d; c++)
        z += x->Q[i * h->d + c] * x->K[j * h->d + c];
    z *= (double)h->scale;
    if (cap > 0)
        z = cap * tanh(z / cap);
    return z +
           (h->rule.mask.hbm.data ? (double)row(h->rule.mask.hbm, i)[j] : 0);
}

static double loss(const exact_head *x)
{
    const head *h = &x->h;
    double sum = 0;

    for (size_t i = 0; i < h->Nq; i++) {
        double above = 0, below = 0;

        for (size_t j = 0; j < h->Nk; j++) {
            double weight = exp(score_of(x, i, j)), value = 0;

            for (size_t c = 0; c < h->dv; c++)
                value += x->V[j * h->dv + c] * x->dO[i * h->dv + c];
            above += weight * value;
            below += weight;
        }
        sum += below > 0 ? above / below : 0;
    }
    return sum;
}

static void check_differences(const exact_head *x, double *at,
                              const double *want, size_t n)
{
    const double eps = 1e-5;
    double largest = 1e-30;

    for (size_t e = 0; e < n; e++)
        largest = fmax(largest, fabs(want[e]));
    for (size_t e = 0; e < n; e++) {
        double old = at[e], up, down;

        at[e] = old + eps;
        up = loss(x);
        at[e] = old - eps;
        down = loss(x);
        at[e] = old;
        assert_close((up - down) / (2 * eps), want[e], 2e-8 * largest + 1e-9);
    }
}

static void double_all(double *to, const float *from, size_t n)
{
    for (size_t e = 0; e < n; e++)
        to[e] = (double)from[e];
}

static array random_array(float *data, size_t rows, size_t cols, uint64_t seed)
{
    random_source source = random_seed(seed);

    random_fill(&source, data, rows * cols, 1);
    return hbm_of(data, rows, cols);
}

/* Returns the largest |dP| of a visible key. */
static double largest_dP(const exact_head *x)
{
    double largest = 0;

    for (size_t i = 0; i < x->h.Nq; i++)
        for (size_t j = 0; j < x->h.Nk; j++) {
            double dP = 0;

            for (size_t c = 0; c < x->h.dv; c++)
                dP += x->V[j * x->h.dv + c] * x->dO[i * x->h.dv + c];
            if (score_of(x, i, j) > -HUGE_VAL)
                largest = fmax(largest, fabs(dP));
        }
    return largest;
}

/* kind is a sum of 1 (causal), 2 (a mask) and 4 (a softcap). */
static void check_problem(size_t Nq, size_t Nk, size_t d, size_t dv, int kind)
{
    float Q[MOST], K[MOST], V[MOST], dO[MOST], mask[MOST];
    double dQ[MOST], dK[MOST], dV[MOST];
    gradients g = {.h = {.Nq = Nq,
                         .Nk = Nk,
                         .d = d,
                         .dv = dv,
                         .Q = random_array(Q, Nq, d, 1),
                         .K = random_array(K, Nk, d, 2),
                         .V = random_array(V, Nk, dv, 3),
                         .scale = 0.7f,
                         .rule.softcap = kind & 4 ? 1.5f : 0,
                         .rule.causal = kind & 1,
                         .rule.offset = (long)Nk - (long)Nq - 1},
                   .dO = random_array(dO, Nq, dv, 4)};
    exact_head x;

    if (kind & 2) {
        g.h.rule.mask = random_array(mask, Nq, Nk, 5);
        for (size_t e = 0; e < Nq * Nk; e += 3)
            mask[e] = -INFINITY;
    }
    x.h = g.h;
    double_all(x.Q, Q, Nq * d);
    double_all(x.K, K, Nk * d);
    double_all(x.V, V, Nk * dv);
    double_all(x.dO, dO, Nq * dv);
    assert_close(reference_gradients(&g, NO_SINK, dQ, dK, dV), largest_dP(&x),
                 1e-12);
    check_differences(&x, x.Q, dQ, Nq * d);
    check_differences(&x, x.K, dK, Nk * d);
    check_differences(&x, x.V, dV, Nk * dv);
}

TEST(gradients_are_central_differences)
{
    const size_t shapes[][4] = {{1, 1, 1, 1}, {3, 5, 2, 2},  {7, 9, 4, 3},
                                {9, 4, 3, 5}, {1, 12, 6, 2}, {12, 12, 8, 8}};

    for (size_t s = 0; s < sizeof shapes / sizeof shapes[0]; s++)
        for (int kind = 0; kind < 8; kind++)
            check_problem(shapes[s][0], shapes[s][1], shapes[s][2],
                          shapes[s][3], kind);
}
