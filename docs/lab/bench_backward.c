/*
 * The backward pass at this machine's speed: backward_simd, and beside it the
 * kernels that are to be read, as a share of the peak that is probed before and
 * after each run.
 *
 *     build/docs/lab/bench_backward [quick]   tables, and build/bench_backward.tsv
 *
 * FLOPs are those of five products, 10 d for each query and key that it sees,
 * whatever a step does. Medians over the rounds; the first run of each, which
 * is not counted, gives its error. docs/backward.md
 */
#include <stdio.h>
#include <string.h>

#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/judge/gradient_error.h"
#include "common/npy/replace_file.h"
#include "common/print/report.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_result.h"

enum { ROUNDS = 7, LIMIT_GFLOP = 6 /* for steps that are read */ };

typedef struct {
    size_t B, H, N, d;
    bool causal, quick; /* quick: also in the quick run */
} shape;

static const shape shapes[] = {
    {1, 8, 1024, 64, false, true},   {1, 8, 1024, 64, true, true},
    {1, 8, 1024, 128, false, true},  {1, 8, 1024, 128, true, true},
    {1, 8, 4096, 64, false, false},  {1, 8, 4096, 64, true, false},
    {1, 8, 4096, 128, false, false}, {16, 12, 64, 64, false, false},
    {16, 12, 256, 64, false, false}, {8, 12, 64, 64, false, false},
};

/* Ten d FLOPs for each pair of a query and a key that it sees. */
static double flops_of(const shape *s)
{
    double pairs = (double)s->N * (double)s->N;

    if (s->causal)
        pairs = (pairs + (double)s->N) / 2;
    return 10 * (double)s->d * pairs * (double)(s->B * s->H);
}

/* Q, K, V, dO, random, and O and L by flash2_simd. Returns 0, or 1. */
static int make(const shape *s, backward_layer *b)
{
    const random_sizes sizes = {s->B, s->H, s->H, s->N, s->N, s->d, s->d, 1};
    memory mem;
    int failed;

    *b = (backward_layer){.forward = {.Q_name = ""}};
    if (arrays_random(&b->forward, &sizes) || backward_arrays(b, NULL))
        return 1;
    b->forward.problem.each.causal = s->causal;
    memory_init(&mem, MEMORY_UNBOUNDED);
    failed = 0;
    for (size_t n = 0; n < s->B * s->H && !failed; n++) {
        head h = head_at(&b->forward.problem, n);

        failed = flash2_simd(&h, &mem);
    }
    memory_reset(&mem);
    return failed;
}

/* Seconds of one run of the step over all heads; < 0 if it failed. */
static double run(const backward_layer *b, const backward_step *step,
                  gradients heads[], size_t n)
{
    double start;
    memory mem;
    int failed = 0;

    for (size_t k = 0; k < n; k++) {
        heads[k] = gradients_at(b, k);
        heads[k].h.Br = heads[k].h.Bc = 64;
    }
    memory_init(&mem, MEMORY_UNBOUNDED);
    start = stopwatch();
    if (step->run_heads)
        failed = step->run_heads(step, heads, n, &mem);
    for (size_t k = 0; k < n && !step->run_heads && !failed; k++) {
        failed = step->run(&heads[k], &mem);
        memory_reset(&mem);
    }
    memory_reset(&mem);
    return failed ? -1 : stopwatch() - start;
}

static void measure_step(FILE *tsv, table *t, const shape *s,
                         const backward_layer *b, const backward_step *step,
                         const gradient_truth *truth)
{
    static gradients heads[16 * 12];
    bench_result r = {.name = step->name};
    size_t n = s->B * s->H;
    double before, rate, seconds, share, spread;
    gradient_errors e;

    progress("%s: N = %zu", step->name, s->N);
    run(b, step, heads, n);
    e = gradient_errors_of(b, truth);
    before = peak_flops(thread_count());
    for (size_t k = 0; k < ROUNDS; k++) {
        double after;

        r.seconds[k] = run(b, step, heads, n);
        after = peak_flops(thread_count());
        r.share[k] = flops_of(s) / r.seconds[k] / ((before + after) / 2);
        before = after;
    }
    progress_done();
    seconds = median_seconds(&r, ROUNDS);
    share = quantile(r.share, ROUNDS, 0.5);
    spread = (quantile(r.seconds, ROUNDS, 0.75) -
              quantile(r.seconds, ROUNDS, 0.25)) /
             seconds;
    if (!(share <= 1)) {
        bench_refuse(t, step->name, share);
        return;
    }
    rate = flops_of(s) / seconds * 1e-9;
    table_row(t, "%s|%.1f|%.0f%%|%.2f|%.0f%%|%s", step->name, rate, 100 * share,
              1e3 * seconds, 100 * spread,
              error_text(e.dQ > e.dK ? e.dQ : e.dK).text);
    fprintf(tsv, "%zu\t%zu\t%zu\t%zu\t%d\t%s\t%.2f\t%.4f\t%.4f\t%.3f\t%.1e\n",
            s->B, s->H, s->N, s->d, s->causal, step->name, rate, share,
            1e3 * seconds, spread, e.dQ);
}

static int measure(FILE *tsv, const shape *s, bool quick)
{
    const backward_step *step = chapter_06_backward;
    backward_layer b;
    gradient_truth truth = {.heads = 0};
    table t = {.used = 0};
    int failed = make(s, &b) || gradient_truth_of(&b, &truth);

    if (!failed) {
        heading("(%zu, %zu, %zu, %zu)%s", s->B, s->H, s->N, s->d,
                s->causal ? " causal" : "");
        table_row(&t, "step|GFLOP/s|of peak|ms|spread|error");
        for (; step->name; step++)
            if (!step->formula ||
                (!quick && flops_of(s) < (double)LIMIT_GFLOP * 1e9))
                measure_step(tsv, &t, s, &b, step, &truth);
        table_print(&t);
        puts("");
    }
    gradient_truth_free(&truth);
    backward_free(&b);
    return failed;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    replacement file;
    int failed;

    if (argc > 2 || (argc == 2 && !quick)) {
        fprintf(stderr, "bench_backward: %s (allowed: quick, or nothing)\n",
                argv[1]);
        return 2;
    }
    if (replace_begin(&file, "build/bench_backward.tsv"))
        return 1;
    fprintf(file.file, "B\tH\tN\td\tcausal\tstep\tGFLOPs\tshare\tms\tspread\t"
                       "dQ\n");
    failed = 0;
    for (size_t k = 0; k < sizeof shapes / sizeof *shapes && !failed; k++)
        if (!quick || shapes[k].quick)
            failed = measure(file.file, &shapes[k], quick);
    bench_end();
    failed = replace_end(&file, 1, failed);
    return report_end(failed);
}
