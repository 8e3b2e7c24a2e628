/*
 * What is timed (bench_problem.h).
 */
#include "docs/lab/bench_problem.h"

#include "06_flash2/steps.h"
#include "common/traffic.h"

#include <stdlib.h>

#define M_ON_CHIP 98304 /* elements on chip, for the steps with tiles */

double bench_flops(const layer *p)
{
    head h = head_at(p, 0);

    return 4 * (double)p->each.d * (double)pairs_seen(&h) * (double)heads_of(p);
}

/* Seconds of one run of the step over all heads; < 0 if it failed. */
static double bench_run(const layer *p, const attention_step *step)
{
    measurement m;

    return measure_forward(p, step, M_ON_CHIP, 1, NULL, &m) ? -1 : m.seconds;
}

int bench_new(bench_problem *w, bench_shape shape, bench_kind kind)
{
    static const attention_step forward = {.run_layer = flash2_simd};
    const layer *p = &w->b.forward.layer;
    int failed;

    *w = (bench_problem){.O = {.every = 1}};
    failed = arrays_random(&w->b.forward,
                           &(random_sizes){shape.B, shape.H, shape.H,
                                           kind >= DECODING ? 1 : shape.N,
                                           shape.N, shape.d, shape.d, 1});
    w->b.forward.layer.each.rule.causal = shape.causal;
    if (!failed && kind > DECODING)
        failed =
            arrays_narrow(&w->b.forward, kind == DECODING_BF16 ? BF16 : FP16);
    if (failed || kind != BACKWARD)
        return failed || truth_of(p, &w->O);
    return backward_arrays(&w->b, NULL) || bench_run(p, &forward) < 0 ||
           gradient_truth_of(&w->b, &w->gradients);
}

void bench_free(bench_problem *w)
{
    truth_free(&w->O);
    truth_free(&w->gradients);
    backward_free(&w->b);
}

static double run_back(const bench_problem *w, const attention_step *s)
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
    start = stopwatch();
    for (size_t k = 0; k < n && !failed; k += s->back_heads ? n : 1) {
        failed = step_run_back(s, &heads[k], n, &mem);
        memory_reset(&mem);
    }
    memory_reset(&mem);
    return failed ? -1 : stopwatch() - start;
}

double bench_run_step(const bench_problem *w, const void *step)
{
    return w->b.dO.data ? run_back(w, step)
                        : bench_run(&w->b.forward.layer, step);
}

double bench_error(const bench_problem *w)
{
    return w->b.dO.data
               ? worst_gradient_error(gradient_errors_of(&w->b, &w->gradients))
               : error_of(&w->b.forward.layer, &w->O);
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
