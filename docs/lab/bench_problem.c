/*
 * What is timed (bench_problem.h).
 */
#include "docs/lab/bench_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "06_flash2/steps.h"
#include "common/judge/reference_attention.h"

#define M_ON_CHIP 98304 /* elements on chip, for the steps with tiles */

int bench_new(attention_arrays *a, bench_shape s)
{
    const random_sizes sizes = {s.B, s.H, s.H, s.N, s.N, s.d, s.d, 1};
    int failed = arrays_random(a, &sizes);

    a->problem.each.causal = s.causal;
    return failed;
}

words shape_text(const layer *p)
{
    words w;

    snprintf(w.text, sizeof w.text, "(%zu, %zu, %zu, %zu)%s", p->B, p->Hq,
             p->each.Nq, p->each.d, p->each.causal ? " causal" : "");
    return w;
}

double bench_flops(const layer *p)
{
    head h = head_at(p, 0);
    double pairs = 0;

    for (size_t i = 0; i < p->each.Nq; i++)
        pairs += (double)keys_seen(&h, i);
    return 4 * (double)p->each.d * pairs * (double)heads_of(p);
}

double bench_run(const layer *p, const attention_step *step)
{
    memory mem;
    double start = stopwatch();
    int failed;

    memory_init(&mem, M_ON_CHIP);
    failed = heads_run(p, step, &mem);
    memory_reset(&mem);
    return failed ? -1 : stopwatch() - start;
}

double bench_best(const layer *p, const attention_step *step, size_t runs,
                  double seconds)
{
    double best = (double)INFINITY, all = 0;

    for (size_t i = 0; i < runs && all < seconds; i++) {
        double run = bench_run(p, step);

        if (run < 0)
            return run;
        all += run;
        best = fmin(best, run);
    }
    return best;
}

double bench_error(const layer *p)
{
    const size_t rows = 16; /* of a head, spread from its first to its last */
    size_t heads = heads_of(p);
    double *want = malloc(p->each.dv * sizeof *want), square = 0, norm = 0;

    for (size_t nth = 0; want && nth < heads; nth += 1 + heads / 4)
        for (size_t k = 0; k < rows; k++) {
            head all = head_at(p, nth);
            size_t i = k * (p->each.Nq - 1) / (rows - 1);
            head one = head_of_queries(&all, i, 1);

            if (reference_attention(&one, want, NULL))
                norm = (double)NAN;
            for (size_t c = 0; c < p->each.dv; c++) {
                double e = (double)row(all.O.hbm, i)[c] - want[c];

                square += e * e;
                norm += want[c] * want[c];
            }
        }
    free(want);
    return want ? sqrt(square / norm) : (double)NAN;
}

int bench_prepare(bench_back *w)
{
    int failed = backward_arrays(&w->b, NULL);

    failed = failed ||
             bench_run(&w->b.forward.problem,
                       &(attention_step){.run_layer = flash2_simd_layer}) < 0;
    return failed || gradient_truth_of(&w->b, &w->truth);
}

void bench_back_free(bench_back *w)
{
    gradient_truth_free(&w->truth);
    backward_free(&w->b);
}

double bench_run_back(const bench_back *w, const backward_step *s)
{
    static gradients heads[16 * 12];
    size_t n = heads_of(&w->b.forward.problem);
    double start;
    memory mem;
    int failed = 0;

    for (size_t k = 0; k < n; k++) {
        heads[k] = gradients_at(&w->b, k);
        heads[k].h.Br = heads[k].h.Bc = 64;
    }
    memory_init(&mem, MEMORY_UNBOUNDED);
    start = stopwatch();
    if (s->run_heads)
        failed = s->run_heads(s, heads, n, &mem);
    for (size_t k = 0; k < n && !s->run_heads && !failed; k++) {
        failed = s->run(&heads[k], &mem);
        memory_reset(&mem);
    }
    memory_reset(&mem);
    return failed ? -1 : stopwatch() - start;
}

double bench_error_back(const bench_back *w)
{
    return worst_gradient_error(gradient_errors_of(&w->b, &w->truth));
}
