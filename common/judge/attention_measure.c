/*
 * Running a step, and writing down what it cost and how far off it is
 * (attention_measure.h).
 */
#include "common/judge/attention_measure.h"

#include "common/print/report.h"
#include "common/judge/errors.h"
#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

const measurement *measured(const measurement m[], attention_fn *kernel)
{
    while (m->step->run != kernel)
        m++;
    return m;
}

const measurement *backward_measured(const measurement m[], backward_fn *kernel)
{
    while (m->step->back != kernel)
        m++;
    return m;
}

static measurement begun(const attention_step *step, const layer *l, size_t M)
{
    return (measurement){.name = step->name,
                         .step = step,
                         .tiles = step_tiles(step, &l->each, M),
                         .seconds = HUGE_VAL};
}

int measure_forward(const layer *l, const attention_step *step, size_t M,
                    size_t runs, const attention_truth *truth, measurement *m)
{
    int status = 0;

    *m = begun(step, l, M);
    for (size_t k = 0; k < runs && status == 0; k++)
        status = forward_run(l, step, M, m);
    if (status != 0)
        return status;
    m->judged = truth != NULL;
    m->error = truth ? error_of(l, truth) : (double)NAN;
    if (is_counted(step))
        m->formula = heads_formula(l, step, M);
    return 0;
}

int measure_backward(const backward_layer *b, const attention_step *step,
                     size_t M, size_t runs, const attention_truth *truth,
                     measurement *m)
{
    int status = 0;

    *m = begun(step, &b->forward.layer, M);
    for (size_t k = 0; k < runs && status == 0; k++)
        status = backward_run(b, step, M, m);
    if (status != 0)
        return status;
    m->errors = gradient_errors_of(b, truth);
    m->error = worst_gradient_error(m->errors);
    m->judged = truth->heads > 0 || heads_of(&b->forward.layer) == 0;
    if (is_counted(step))
        m->formula = backward_formula(b, step, M);
    return 0;
}

/* --- The oracle over the heads of a layer, and the distance from it -------- */

/* Multiply-adds that the oracle may spend: forward a fraction of a second; back
 * a second, or more on the first heads, without which nothing is known. */
static const double budget = 1 << 27, budget_back = 1 << 30,
                    first_budget = 16.0 * (1 << 30);

static int given_up(attention_truth *truth, size_t n, const char *what)
{
    fprintf(stderr, "float64: out of memory for %zu %s\n", n, what);
    truth_free(truth);
    return 1;
}

void truth_free(attention_truth *truth)
{
    free(truth->O);
    free(truth->dQ);
    free(truth->dK);
    free(truth->dV);
    *truth = (attention_truth){.rows = 0};
}

/* --- Forward --------------------------------------------------------------- */

/* Odd, so that a sample of many heads does not meet the same rows in each. */
static size_t sampled_every(const layer *p, size_t rows)
{
    double row = (double)p->each.Nk * (double)(p->each.d + p->each.dv);
    double every = ceil((double)rows * row / budget);

    if (every <= 1)
        return 1;
    return min_size(rows, (size_t)every | 1);
}

int truth_of(const layer *p, attention_truth *truth)
{
    size_t rows = heads_of(p) * p->each.Nq, every = sampled_every(p, rows);
    size_t known = tiles(rows, every);
    int failed;

    *truth = (attention_truth){.rows = rows, .every = every};
    truth->O = calloc(known * p->each.dv + 1, sizeof *truth->O);
    failed = truth->O == NULL;
    for (size_t k = 0; k < known && !failed; k++) {
        size_t at = k * every;
        head whole = head_at(p, at / p->each.Nq);
        head query = head_of_queries(&whole, one(at % p->each.Nq));

        failed = reference_attention(&query, truth->O + k * p->each.dv, NULL);
    }
    return failed ? given_up(truth, known, "rows") : 0;
}

double error_of(const layer *p, const attention_truth *truth)
{
    size_t dv = p->each.dv;

    return error_of_rows(p->each.O.hbm.data, truth->every * dv, truth->O,
                         tiles(truth->rows, truth->every), dv);
}

/* --- Back ------------------------------------------------------------------ */

/* Whole groups, so that dK and dV are complete. */
static size_t heads_known(const layer *l)
{
    const head *h = &l->each;
    size_t heads = heads_of(l), group = heads ? l->Hq / l->Hk : 1;
    double each =
        (double)h->Nq * (double)h->Nk * (double)(3 * h->d + 2 * h->dv);
    size_t most = each * (double)heads <= budget_back
                      ? heads
                      : (size_t)(budget_back / each);

    if (heads > 0 && most < group && each * (double)group <= first_budget)
        return group;
    return most / group * group;
}

int gradient_truth_of(const backward_layer *b, attention_truth *truth)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t n = heads_known(l), group = n ? l->Hq / l->Hk : 1;
    size_t queries = n * h->Nq, keys = n / group * h->Nk;
    int failed;

    *truth = (attention_truth){
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
    return failed ? given_up(truth, n, "heads") : 0;
}

/* The largest ||row||, of the rows that are finite. */
static double largest_row(const float *a, size_t rows, size_t cols)
{
    double most = 0;

    for (size_t i = 0; i < rows; i++, a += cols) {
        double squares = 0;

        for (size_t c = 0; c < cols; c++)
            squares += (double)a[c] * (double)a[c];
        if (isfinite(squares))
            most = fmax(most, squares);
    }
    return sqrt(most);
}

gradient_errors gradient_sizes_of(const backward_layer *b,
                                  const attention_truth *truth)
{
    const attention_arrays *a = &b->forward;
    const layer *l = &a->layer;
    const head *h = &l->each;
    size_t n = truth->heads, kv = n ? n / (l->Hq / l->Hk) : 0;
    size_t queries = n * h->Nq, keys = kv * h->Nk;
    double dS = fabs((double)h->scale) *
                largest_row(b->dO.data, queries, h->dv) *
                largest_row(a->V.data, keys, h->dv) / 256;

    return (gradient_errors){
        fmax(norm(truth->dQ, queries * h->d),
             dS * largest_row(a->K.data, keys, h->d) * sqrt((double)queries)),
        fmax(norm(truth->dK, keys * h->d),
             dS * largest_row(a->Q.data, queries, h->d) * sqrt((double)keys)),
        norm(truth->dV, keys * h->dv),
    };
}

/* 0 for two zero arrays. */
static double error_for(const float *got, const double *want, size_t n,
                        double size)
{
    double off = distance(got, want, n);

    return off == 0 ? 0 : off / size;
}

gradient_errors gradient_errors_of(const backward_layer *b,
                                   const attention_truth *truth)
{
    const layer *l = &b->forward.layer;
    const head *h = &l->each;
    size_t n = truth->heads, kv = n ? n / (l->Hq / l->Hk) : 0;
    gradient_errors size;

    if (n == 0 && heads_of(l) > 0)
        return (gradient_errors){(double)NAN, (double)NAN, (double)NAN};
    size = gradient_sizes_of(b, truth);
    return (gradient_errors){
        error_for(b->dQ.data, truth->dQ, n * h->Nq * h->d, size.dQ),
        error_for(b->dK.data, truth->dK, kv * h->Nk * h->d, size.dK),
        error_for(b->dV.data, truth->dV, kv * h->Nk * h->dv, size.dV),
    };
}

double worst_gradient_error(gradient_errors e)
{
    return isnan(e.dQ + e.dK + e.dV) ? (double)NAN
                                     : fmax(e.dQ, fmax(e.dK, e.dV));
}
