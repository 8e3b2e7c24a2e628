/*
 * Running a step, and writing down what it cost and how far off it is
 * (attention_measure.h).
 */
#include "common/judge/attention_measure.h"

#include "common/judge/reference.h"
#include "common/judge/reference_attention.h"
#include "common/print/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Multiply-adds that the oracle may spend: a fraction of a second. */
static const double budget = 1 << 27;

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

    *truth = (attention_truth){rows, every, NULL};
    truth->O = calloc(known * p->each.dv + 1, sizeof *truth->O);
    failed = truth->O == NULL;
    for (size_t k = 0; k < known && !failed; k++) {
        size_t at = k * every;
        head all = head_at(p, at / p->each.Nq);
        head one = head_of_queries(&all, at % p->each.Nq, 1);

        failed = reference_attention(&one, truth->O + k * p->each.dv, NULL);
    }
    if (failed) {
        fprintf(stderr, "float64: out of memory for %zu rows of %zu\n", known,
                p->each.dv);
        truth_free(truth);
    }
    return failed;
}

void truth_free(attention_truth *truth)
{
    free(truth->O);
    truth->O = NULL;
}

double error_of(const layer *p, const attention_truth *truth)
{
    size_t dv = p->each.dv;

    return error_of_rows(p->each.O.hbm.data, truth->every * dv, truth->O,
                         tiles(truth->rows, truth->every), dv);
}

static int failed(const layer *p, const attention_step *step, const memory *mem)
{
    if (mem->error == MEMORY_TOO_SMALL && is_counted(step))
        fprintf(stderr, "--sram: %s: %s (allowed: at least 2 (d + dv) = %zu)\n",
                step->name, mem->message, 2 * (p->each.d + p->each.dv));
    else
        fprintf(stderr, "%s: %s\n", step->name, mem->message);
    return mem->error == MEMORY_FULL ? 1 : 2;
}

static int run_once(const layer *p, size_t M, measurement *m)
{
    double start = stopwatch();
    int status = 0;
    memory mem;

    memory_init(&mem, M);
    if (heads_run(p, m->step, &mem) != 0)
        status = failed(p, m->step, &mem);
    m->seconds = fmin(m->seconds, stopwatch() - start);
    m->counted = mem.counts;
    m->on_chip = mem.on_chip;
    m->extra = mem.extra;
    memory_reset(&mem);
    return status;
}

int measure_forward(const layer *p, const attention_step *step, size_t M,
                    size_t runs, const attention_truth *truth, measurement *m)
{
    int status = 0;

    *m = (measurement){.name = step->name,
                       .step = step,
                       .seconds = HUGE_VAL,
                       .error = (double)NAN};
    for (size_t k = 0; k < runs && status == 0; k++)
        status = run_once(p, M, m);
    if (status != 0)
        return status;
    m->judged = truth != NULL;
    if (truth)
        m->error = error_of(p, truth);
    m->tiles = step_tiles(step, &p->each, M);
    if (is_counted(step))
        m->formula = heads_formula(p, step, M);
    return 0;
}
