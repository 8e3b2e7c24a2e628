/*
 * Measuring steps on the precision lab's problems (measure.h).
 */
#include "docs/lab/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/judge/reference.h"

enum { SEED = 1 };

typedef struct {
    double square, norm, largest;
} sums;

/* One row's n outputs; the largest error is taken over `scale`. */
static void add_row(sums *sum, const float *got, const double *want, size_t n,
                    double scale)
{
    double off = max_error(got, want, n) / scale;

    for (size_t c = 0; c < n; c++) {
        double e = (double)got[c] - want[c];

        sum->square += e * e;
        sum->norm += want[c] * want[c];
    }
    /* fmax would pass over a NaN */
    sum->largest = isnan(off) || off > sum->largest ? off : sum->largest;
}

/* Key tiles after the first that raise the maximum of row i. */
static double count_rescales(const lab_problem *p, size_t i)
{
    size_t Bc = p->h.Bc;
    double m = (double)-INFINITY, rescales = 0;

    for (size_t j0 = 0; j0 < p->h.Nk; j0 += Bc) {
        double m_prev = m;

        for (size_t j = j0; j < min_size(j0 + Bc, p->h.Nk); j++)
            m = fmax(m, problem_score(p, i, j));
        rescales += j0 > 0 && m > m_prev;
    }
    return rescales;
}

static void total(const sums sum[], size_t n, double rescales, lab_error e[])
{
    for (size_t s = 0; s < n; s++)
        e[s] = (lab_error){sqrt(sum[s].square / sum[s].norm), sum[s].largest,
                           rescales};
}

static double max_abs(matrix V)
{
    double largest = 0;

    for (size_t i = 0; i < V.rows * V.cols; i++)
        largest = fmax(largest, fabs((double)V.data[i]));
    return largest;
}

static int run_attention(const attention_step *step, const lab_problem *p,
                         sums *sum)
{
    double scale = max_abs(p->h.V.hbm);
    memory mem;
    int error;

    memory_init(&mem, MEMORY_UNBOUNDED);
    error = step->run(&p->h, &mem);
    memory_reset(&mem);
    if (error)
        fprintf(stderr, "lab: %s failed on %zu keys\n", step->name, p->h.Nk);
    for (size_t i = 0; i < p->h.Nq; i++)
        add_row(sum, row(p->h.O.hbm, i), p->reference + i * p->h.dv, p->h.dv,
                scale);
    return error;
}

int lab_measure(const attention_step *const steps[], size_t n,
                const lab_case *c, size_t problems, lab_error errors[])
{
    random_source r = random_seed(SEED);
    sums sum[MOST_STEPS] = {{0}};
    double rescales = 0;
    lab_problem p;
    int failed = problem_new(&p, c);

    if (failed)
        return 1;
    for (size_t t = 0; t < problems && !failed; t++) {
        failed = problem_fill(&p, &r, t);
        for (size_t i = 0; i < c->Nq; i++)
            rescales += count_rescales(&p, i);
        for (size_t s = 0; s < n && !failed; s++)
            failed = run_attention(steps[s], &p, &sum[s]);
    }
    total(sum, n, rescales / (double)(problems * c->Nq), errors);
    problem_free(&p);
    return failed;
}

/* The rows of one problem through all steps; want: room for a row. */
static void run_softmax(const softmax_step *const steps[], size_t n,
                        const lab_problem *p, float *x, float *y, double *want,
                        sums sum[])
{
    softmax_row r = {
        .n = p->h.Nk, .x = x, .y = y, .block = p->h.Bc, .type = p->kind->P};

    for (size_t i = 0; i < p->h.Nq; i++) {
        for (size_t j = 0; j < r.n; j++)
            x[j] = (float)problem_score(p, i, j);
        reference_softmax(x, want, r.n, NULL);
        for (size_t j = 0; j < r.n; j++)
            x[j] = round_to(p->kind->stored, x[j]);
        for (size_t s = 0; s < n; s++) {
            steps[s]->run(&r);
            add_row(&sum[s], y, want, r.n, 1);
        }
    }
}

int lab_measure_softmax(const softmax_step *const steps[], size_t n,
                        const lab_case *c, size_t problems, lab_error errors[])
{
    random_source r = random_seed(SEED);
    float *x = malloc(c->Nk * sizeof *x), *y = malloc(c->Nk * sizeof *y);
    double *want = malloc(c->Nk * sizeof *want), rescales = 0;
    sums sum[MOST_STEPS] = {{0}};
    lab_problem p;
    int failed = problem_new(&p, c);

    if (!failed && (!x || !y || !want))
        failed = fprintf(stderr, "lab: out of memory for %zu keys\n", c->Nk);
    for (size_t t = 0; t < problems && !failed; t++) {
        failed = problem_fill(&p, &r, t);
        run_softmax(steps, n, &p, x, y, want, sum);
        for (size_t i = 0; i < c->Nq; i++)
            rescales += count_rescales(&p, i);
    }
    total(sum, n, rescales / (double)(problems * c->Nq), errors);
    problem_free(&p);
    free(x);
    free(y);
    free(want);
    return failed != 0;
}
