/*
 * Measuring steps on the precision lab's problems (measure.h).
 */
#include "docs/lab/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"
#include "03_online_softmax/steps.h"
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/print/report.h"

typedef struct {
    const char *name;
    softmax_fn *softmax; /* or: */
    const attention_step *attention;
    unsigned sets;
} lab_step;

static const lab_step steps[] = {
    {"naive_softmax", naive_softmax, NULL, OF_ROWS},
    {"safe_softmax", safe_softmax, NULL, OF_ROWS},
    {"online_softmax", online_softmax, NULL, OF_ROWS},
    {"merged_softmax", merged_softmax, NULL, OF_ROWS},
    {"standard_attention", NULL, &chapter_04_steps[0],
     OF_HEADS | ROUNDING | STANDARD},
    {"three_pass_attention", NULL, &chapter_04_steps[1], OF_HEADS | ROUNDING},
    {"two_pass_attention", NULL, &chapter_04_steps[2], OF_HEADS | ROUNDING},
    {"one_pass_attention", NULL, &chapter_04_steps[3], OF_HEADS | ROUNDING},
    {"flash1", NULL, &chapter_05_steps[0], OF_HEADS | ROUNDING | TILED},
    {"flash2_deferred", NULL, &chapter_06_steps[0],
     OF_HEADS | ROUNDING | TILED},
    {"flash2", NULL, &chapter_06_steps[1], OF_HEADS | ROUNDING | TILED},
    {"flash2_simd", NULL, &chapter_06_steps[4], OF_HEADS},
};

enum { STEPS = sizeof steps / sizeof *steps };

/* Over all problems and queries. */
typedef struct {
    double square, norm, largest;
} sums;

/* One row's n outputs; the largest error is taken over `scale`. */
static void add_row(sums *sum, const float *got, const double *want, size_t n,
                    double scale)
{
    for (size_t c = 0; c < n; c++) {
        double e = (double)got[c] - want[c], off = fabs(e) / scale;

        sum->square += e * e;
        sum->norm += want[c] * want[c];
        /* fmax would pass over a NaN */
        sum->largest = isnan(off) || off > sum->largest ? off : sum->largest;
    }
}

static int run_attention(const lab_step *step, const lab_problem *p, sums *sum)
{
    const head *h = &p->h;
    double scale = 0;
    memory mem;
    int error;

    for (size_t e = 0; e < h->Nk * h->dv; e++)
        scale = fmax(scale, fabs((double)h->V.hbm.data[e]));
    memory_init(&mem, MEMORY_UNBOUNDED);
    error = step_run(step->attention, h, &mem);
    memory_reset(&mem);
    if (error)
        fprintf(stderr, "lab: %s failed on %zu keys\n", step->name, h->Nk);
    for (size_t i = 0; i < h->Nq; i++)
        add_row(sum, row(h->O.hbm, i), p->reference + i * h->dv, h->dv, scale);
    return error;
}

static void run_softmax(const lab_step *step, const lab_problem *p, sums *sum)
{
    softmax_row r = {.n = p->h.Nk,
                     .x = p->x,
                     .y = p->y,
                     .block = p->h.tile.Bc,
                     .type = p->kind->P};

    for (size_t i = 0; i < p->h.Nq; i++) {
        for (size_t j = 0; j < r.n; j++)
            p->x[j] = (float)reference_score(&p->h, i, j);
        reference_softmax(p->x, p->want, r.n, NULL);
        for (size_t j = 0; j < r.n; j++)
            p->x[j] = round_to(p->kind->stored, p->x[j]);
        step->softmax(&r);
        add_row(sum, p->y, p->want, r.n, 1);
    }
}

/* Adds up the errors of the steps of these sets, or (not NULL) of the one of that
 * name, over so many problems. */
static int run_steps(const lab_case *c, size_t problems, unsigned sets,
                     const char *name, sums sum[STEPS])
{
    random_source r = random_seed(LAB_SEED);
    lab_problem p;
    int failed = lab_problem_new(&p, c);

    for (size_t t = 0; t < problems && !failed; t++) {
        failed = lab_problem_fill(&p, &r, t);
        for (size_t s = 0; s < STEPS && !failed; s++) {
            if (name ? strcmp(steps[s].name, name) != 0
                     : !(steps[s].sets & sets))
                continue;
            if (steps[s].softmax)
                run_softmax(&steps[s], &p, &sum[s]);
            else
                failed = run_attention(&steps[s], &p, &sum[s]);
        }
    }
    lab_problem_free(&p);
    return failed;
}

const char *attention_of_lab(size_t n, bool *rounds)
{
    for (size_t s = 0; s < STEPS; s++)
        if (steps[s].attention && n-- == 0) {
            *rounds = steps[s].sets & ROUNDING;
            return steps[s].name;
        }
    return NULL;
}

int measure_step(const char *name, const lab_case *c, size_t problems,
                 double *relative, double *largest)
{
    sums sum[STEPS] = {{0}};
    int failed = run_steps(c, problems, 0, name, sum);

    for (size_t s = 0; s < STEPS; s++)
        if (strcmp(steps[s].name, name) == 0) {
            *relative = sqrt(sum[s].square / sum[s].norm);
            *largest = sum[s].largest;
        }
    return failed;
}

int print_steps(const char *experiment, lab_case c, unsigned sets)
{
    static const char *const order_names[] = {"any", "rising", "falling"};
    size_t problems = c.real ? heads_of(&c.real->layer) : problems_of_lab(c.Nq);
    sums sum[STEPS] = {{0}};
    int failed;

    progress("%s: N %zu, Bc %zu, sigma %g", experiment, c.Nk, c.Bc, c.sigma);
    failed = run_steps(&c, problems, sets, NULL, sum);
    for (size_t s = 0; s < STEPS && !failed; s++)
        if (steps[s].sets & sets)
            printf("%s%s\t%s\t%zu\t%zu\t%.3g\t%s\t%s\t%s\t%s\t%s\t%s\t%.3e"
                   "\t%.3e\n",
                   c.real ? "real, " : "", experiment, steps[s].name, c.Nk,
                   c.Bc, c.sigma, c.unscaled ? "no" : "yes",
                   order_names[c.order], precision_name(c.inputs),
                   precision_name(c.P), precision_name(c.stored),
                   precision_name(c.O), sqrt(sum[s].square / sum[s].norm),
                   sum[s].largest);
    return failed;
}
