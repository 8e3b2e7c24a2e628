/*
 * The benchmark's problems (bench_problem.h).
 */
#include "docs/lab/bench_problem.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/problem/random.h"
#include "common/judge/reference_attention.h"
#include "common/print/report.h"

#define M_ON_CHIP 98304 /* elements on chip, for the steps with tiles */

int bench_new(layer *p, bench_shape shape, bool causal)
{
    size_t rows = shape.B * shape.H * shape.N, size = rows * shape.d;
    float *data = malloc((4 * size + rows) * sizeof *data);
    random_source r = random_seed(1);

    if (!data) {
        fprintf(stderr, "bench: out of memory for %zu rows of %zu\n", rows,
                shape.d);
        return 1;
    }
    *p = (layer){
        .B = shape.B,
        .Hq = shape.H,
        .Hk = shape.H,
        .each = {.Nq = shape.N,
                 .Nk = shape.N,
                 .d = shape.d,
                 .dv = shape.d,
                 .scale = 1 / sqrtf((float)shape.d),
                 .causal = causal},
    };
    layer_give(p, data, data + size, data + 2 * size, data + 3 * size,
               data + 4 * size);
    random_fill(&r, data, 3 * size, 1);
    return 0;
}

void bench_free(layer *p)
{
    free(p->each.Q.hbm.data);
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
    return 4 * (double)p->each.d * pairs * (double)(p->B * p->Hq);
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

double bench_mean(const layer *p, const attention_step *step, size_t runs)
{
    double sum = 0;

    for (size_t i = 0; i < runs; i++) {
        double run = bench_run(p, step);

        if (run < 0)
            return run;
        sum += run;
    }
    return sum / (double)runs;
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
    double *want = malloc(p->each.d * sizeof *want), square = 0, norm = 0;

    for (size_t nth = 0; want && nth < heads; nth += 1 + heads / 4)
        for (size_t k = 0; k < rows; k++) {
            head all = head_at(p, nth);
            size_t i = k * (p->each.Nq - 1) / (rows - 1);
            head one = head_of_queries(&all, i, 1);

            if (reference_attention(&one, want, NULL))
                norm = (double)NAN;
            for (size_t c = 0; c < p->each.d; c++) {
                double e = (double)row(all.O.hbm, i)[c] - want[c];

                square += e * e;
                norm += want[c] * want[c];
            }
        }
    free(want);
    return want ? sqrt(square / norm) : (double)NAN;
}
