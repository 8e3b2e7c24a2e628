/*
 * The oracle over a layer's heads, and the errors against it
 * (gradient_error.h).
 */
#include "common/judge/gradient_error.h"

#include "common/judge/reference_gradients.h"
#include "common/print/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Multiply-adds that the oracle may spend, about a second; and on the first
 * group of heads, without which nothing is known. */
static const double budget = 1 << 30, first_budget = 16.0 * (1 << 30);

/* Whole groups, so that dK and dV are complete. */
static size_t heads_known(const layer *l)
{
    const head *h = &l->each;
    size_t heads = heads_of(l), group = heads ? l->Hq / l->Hk : 1;
    double each =
        (double)h->Nq * (double)h->Nk * (double)(3 * h->d + 2 * h->dv);
    size_t most =
        each * (double)heads <= budget ? heads : (size_t)(budget / each);

    if (heads > 0 && most < group && each * (double)group <= first_budget)
        return group;
    return most / group * group;
}

int gradient_truth_of(const backward_layer *b, gradient_truth *truth)
{
    const layer *l = &b->forward.problem;
    const head *h = &l->each;
    size_t n = heads_known(l), group = n ? l->Hq / l->Hk : 1;
    size_t queries = n * h->Nq, keys = n / group * h->Nk;
    int failed;

    *truth = (gradient_truth){
        .heads = n,
        .dQ = malloc((queries * h->d + 1) * sizeof(double)),
        .dK = malloc((keys * h->d + 1) * sizeof(double)),
        .dV = malloc((keys * h->dv + 1) * sizeof(double)),
    };
    failed = !truth->dQ || !truth->dK || !truth->dV;
    for (size_t nth = 0; nth < n && !failed; nth++) {
        gradients g = gradients_at(b, nth);

        progress("float64: head %zu of %zu", nth + 1, n);
        failed =
            reference_gradients(&g, truth->dQ + nth * h->Nq * h->d,
                                truth->dK + nth / group * h->Nk * h->d,
                                truth->dV + nth / group * h->Nk * h->dv) < 0;
    }
    progress_done();
    if (failed) {
        fprintf(stderr, "float64: out of memory for %zu heads\n", n);
        gradient_truth_free(truth);
    }
    return failed;
}

void gradient_truth_free(gradient_truth *truth)
{
    free(truth->dQ);
    free(truth->dK);
    free(truth->dV);
    *truth = (gradient_truth){.heads = 0};
}

static double error_of_array(const npy_array *got, const double *want, size_t n)
{
    double square = 0, norm = 0;

    for (size_t e = 0; e < n; e++) {
        double x = (double)got->data[e], y = want[e];

        if (isfinite(y))
            norm += y * y;
        if (x != y && !(isnan(x) && isnan(y)))
            square += (x - y) * (x - y);
    }
    return square == 0 ? 0 : sqrt(square / norm);
}

gradient_errors gradient_errors_of(const backward_layer *b,
                                   const gradient_truth *truth)
{
    const layer *l = &b->forward.problem;
    const head *h = &l->each;
    size_t n = truth->heads, kv = n ? n / (l->Hq / l->Hk) : 0;

    if (n == 0 && heads_of(l) > 0)
        return (gradient_errors){(double)NAN, (double)NAN, (double)NAN};
    return (gradient_errors){
        error_of_array(&b->dQ, truth->dQ, n * h->Nq * h->d),
        error_of_array(&b->dK, truth->dK, kv * h->Nk * h->d),
        error_of_array(&b->dV, truth->dV, kv * h->Nk * h->dv),
    };
}

double worst_gradient_error(gradient_errors e)
{
    return isnan(e.dQ + e.dK + e.dV) ? (double)NAN
                                     : fmax(e.dQ, fmax(e.dK, e.dV));
}
