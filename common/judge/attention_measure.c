/*
 * Running a step, and writing down what it cost and how far off it is
 * (attention_measure.h).
 */
#include "common/judge/attention_measure.h"

#include "common/print/report.h"

#include <math.h>
#include <stdio.h>

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

/* --- Forward --------------------------------------------------------------- */

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

    *m = (measurement){.name = step->name, .step = step, .seconds = HUGE_VAL};
    for (size_t k = 0; k < runs && status == 0; k++)
        status = run_once(p, M, m);
    if (status != 0)
        return status;
    m->judged = truth != NULL;
    m->error = truth ? error_of(p, truth) : (double)NAN;
    m->tiles = step_tiles(step, &p->each, M);
    if (is_counted(step))
        m->formula = heads_formula(p, step, M);
    return 0;
}

/* --- Back ------------------------------------------------------------------ */

int measure_backward(const backward_layer *b, const attention_step *step,
                     size_t M, size_t runs, const attention_truth *truth,
                     measurement *m)
{
    *m = (measurement){.name = step->name, .step = step, .seconds = HUGE_VAL};
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
    m->tiles = step_tiles(step, &b->forward.problem.each, M);
    if (is_counted(step))
        m->formula = backward_formula(b, step, M);
    return 0;
}
