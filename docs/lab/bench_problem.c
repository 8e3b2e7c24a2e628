/* Runs the problems of the benchmark (bench_problem.h). */
#include "docs/lab/bench_problem.h"

#include <stdlib.h>

#include "06_flash2/steps.h"
#include "common/lesson/attention/heads.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "common/traffic.h"

#define M_ON_CHIP 98304 /* M of the steps with tiles, in elements */

double bench_flops(const layer *p)
{
    head h = head_at(p, 0);

    return 4 * (double)p->each.d * (double)pairs_seen(&h) * (double)heads_of(p);
}

/* Returns the seconds of one run of the step on all heads. < 0: failed. */
static double bench_run(problem *p, const attention_step *step)
{
    double start = speed_clock(thread_count()), seconds;
    memory mem;

    memory_init(&mem, p->M);
    seconds = heads_run(&p->layer, step, &mem)
                  ? -1
                  : speed_clock(thread_count()) - start;
    if (seconds < 0)
        step_failed(step->name, &mem, 0);
    memory_reset(&mem);
    return seconds;
}

int bench_new(bench_problem *w, bench_shape shape, bench_kind kind)
{
    static const attention_step forward = {.name = "flash2_simd",
                                           .run_layer = flash2_simd};
    const size_t Nq = kind >= DECODING ? 1 : shape.N;
    const problem_sizes sizes = {shape.B, shape.H, shape.H, Nq,
                                 shape.N, shape.d, shape.d, 1};
    problem *p = &w->b.forward;

    *w = (bench_problem){.narrow = {0}};
    if (problem_random(p, &sizes))
        return p->status;
    p->M = M_ON_CHIP;
    p->layer.each.rule.causal = shape.causal;
    if (kind > DECODING || kind == FORWARD_BF16)
        p->status = problem_narrow(p, kind == DECODING_FP16 ? FP16 : BF16,
                                   kind == FORWARD_BF16, &w->narrow);
    if (kind == BACKWARD && backward_problem_set_up(&w->b) == 0)
        p->status = bench_run(p, &forward) < 0;
    if (p->status == 0)
        bench_error(w); /* computes the reference before a step runs */
    return p->status;
}

void bench_free(bench_problem *w)
{
    backward_free(&w->b);
    free(w->narrow.bits);
    w->narrow.bits = NULL;
}

static double run_back(const bench_problem *w, const backward_step *s)
{
    static gradients heads[16 * 12];
    size_t n = heads_of(&w->b.forward.layer);
    double start;
    memory mem;
    int failed = 0;

    for (size_t k = 0; k < n; k++) {
        heads[k] = gradients_at(&w->b, k);
        heads[k].h.tile = (tile_sizes){64, 64};
    }
    memory_init(&mem, MEMORY_UNBOUNDED);
    start = speed_clock(thread_count());
    for (size_t k = 0; k < n && !failed; k += s->run_heads ? n : 1) {
        failed = backward_step_run(s, &heads[k], n, &mem);
        memory_reset(&mem);
    }
    memory_reset(&mem);
    return failed ? -1 : speed_clock(thread_count()) - start;
}

double bench_run_step(bench_problem *w, const void *step)
{
    return w->b.dO.data ? run_back(w, step) : bench_run(&w->b.forward, step);
}

double bench_seconds(bench_problem *w, const void *step)
{
    double sum = 0;
    size_t runs = 0;

    while (sum < 0.02) {
        double seconds = bench_run_step(w, step);

        if (seconds < 0)
            return -1;
        sum += seconds;
        runs++;
    }
    return sum / (double)runs;
}

double bench_error(bench_problem *w)
{
    return w->b.dO.data ? worst_gradient_error(problem_gradient_errors(&w->b))
                        : problem_error(&w->b.forward);
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

double quantile(double *x, size_t n, double p)
{
    qsort(x, n, sizeof *x, by_value);
    return x[(size_t)(p * (double)(n - 1) + 0.5)];
}
