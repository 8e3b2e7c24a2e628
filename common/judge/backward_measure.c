/*
 * The oracle over a layer's heads, and a backward step measured against it
 * (backward_measure.h).
 */
#include "common/judge/backward_measure.h"

#include "common/judge/reference.h"
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

gradient_errors gradient_errors_of(const backward_layer *b,
                                   const gradient_truth *truth)
{
    const layer *l = &b->forward.problem;
    const head *h = &l->each;
    size_t n = truth->heads, kv = n ? n / (l->Hq / l->Hk) : 0;

    if (n == 0 && heads_of(l) > 0)
        return (gradient_errors){(double)NAN, (double)NAN, (double)NAN};
    return (gradient_errors){
        relative_error(b->dQ.data, truth->dQ, n * h->Nq * h->d),
        relative_error(b->dK.data, truth->dK, kv * h->Nk * h->d),
        relative_error(b->dV.data, truth->dV, kv * h->Nk * h->dv),
    };
}

double worst_gradient_error(gradient_errors e)
{
    return isnan(e.dQ + e.dK + e.dV) ? (double)NAN
                                     : fmax(e.dQ, fmax(e.dK, e.dV));
}

const measurement *backward_measured(const measurement m[], backward_fn *kernel)
{
    while (m->back->run != kernel)
        m++;
    return m;
}

int measure_backward(const backward_layer *b, const backward_step *step,
                     size_t M, size_t runs, const gradient_truth *truth,
                     measurement *m)
{
    *m = (measurement){.name = step->name, .back = step, .seconds = HUGE_VAL};
    for (size_t k = 0; k < runs; k++) {
        backward_cost cost;
        int status = backward_run(b, step, M, &cost);

        if (status != 0)
            return status;
        m->counted = cost.counted;
        m->forward = cost.forward;
        m->on_chip = cost.on_chip;
        m->extra = cost.extra;
        m->seconds = fmin(m->seconds, cost.seconds);
    }
    m->errors = gradient_errors_of(b, truth);
    m->error = worst_gradient_error(m->errors);
    m->judged = truth->heads > 0 || heads_of(&b->forward.problem) == 0;
    m->tiles = backward_tiles(step, &b->forward.problem.each, M);
    if (step->formula)
        m->formula = backward_formula(b, step, M);
    return 0;
}
