/*
 * Running a step and writing down what it cost (attention_measure.h).
 */
#include "common/judge/attention_measure.h"

#include "common/print/report.h"

#include <math.h>
#include <stdio.h>

size_t moved(const counts *c, book b)
{
    return c->read[b] + c->written[b];
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
    double start = stopwatch(), seconds;
    int status = 0;
    memory mem;

    memory_init(&mem, M);
    if (heads_run(p, m->step, &mem) != 0)
        status = failed(p, m->step, &mem);
    seconds = stopwatch() - start;
    m->seconds = fmin(m->seconds, seconds);
    m->counted = mem.counts;
    m->on_chip = mem.on_chip;
    m->extra = mem.extra;
    memory_reset(&mem);
    return status;
}

int measure(const layer *p, const attention_step *step, size_t M, size_t runs,
            const attention_truth *truth, measurement *m)
{
    int status = 0;

    *m = (measurement){.step = step, .seconds = HUGE_VAL, .error = (double)NAN};
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
