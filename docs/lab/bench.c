/*
 * The benchmark: every step of chapters 04-06 as a share of what this machine
 * can do, which is measured in the same run.
 *
 *     build/docs/lab/bench [quick]         a table, and build/bench.tsv
 *
 * One round is: peak probe, step, peak probe, step, ..., so that a machine that
 * slows down slows both. Medians over the rounds; the spread is their middle
 * half over the median. A figure above the peak would be a mistake in timing,
 * and is refused. FLOPs are 4 d for each query and key that it sees: causal
 * counts half.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/peak.h"
#include "common/replace_file.h"
#include "common/report.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"

#define MAX_STEPS 24

typedef struct {
    bench_shape shape;
    bool causal, quick; /* quick: also in the quick run */
} bench_case;

static const bench_case cases[] = {
    {{1, 8, 1024, 64}, false, true},    {{1, 8, 1024, 64}, true, true},
    {{1, 8, 4096, 64}, false, true},    {{1, 8, 4096, 64}, true, true},
    {{1, 8, 4096, 128}, false, true},   {{1, 8, 4096, 128}, true, true},
    {{16, 12, 64, 64}, false, true},    {{16, 12, 64, 64}, true, false},
    {{16, 12, 256, 64}, false, true},   {{16, 12, 256, 64}, true, true},
    {{16, 12, 2048, 64}, false, false}, {{16, 12, 2048, 64}, true, false},
    {{8, 12, 64, 64}, false, false},    {{8, 12, 64, 64}, true, false},
};

/* A step, and what it came to on one case. */
typedef struct {
    const attention_step *step;
    bench_result is;
} result;

/*
 * The steps that are worth waiting for: counted ones do about 2 GFLOP/s, and
 * split_kv is for few queries. One run of each warms it up and gives its error.
 */
static size_t choose(const attention_problem *p, result *results, bool quick)
{
    static const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};
    double gflop = bench_flops(p) * 1e-9;
    size_t n = 0;

    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        for (const attention_step *s = chapters[i]; s->name; s++) {
            bool compared = s->run == flash2 || s->run == flash2_parallel;
            bool split = s->run == split_kv || s->run == split_kv_simd;
            double most = !quick ? 40 : compared && !p->causal ? 2.2 : 0.3;

            if ((s->formula && gflop > most) || (split && p->Nq > 1))
                continue;
            progress("N %zu, d %zu: %s", p->Nq, p->d, s->name);
            if (bench_run(p, s) >= 0 && n < MAX_STEPS)
                results[n++] =
                    (result){s, {.name = s->name, .error = bench_error(p)}};
        }
    return n;
}

static int measure(FILE *tsv, const bench_case *c, size_t rounds, bool quick)
{
    attention_problem p;
    result results[MAX_STEPS];
    double slowest = 0, peak = 0;
    table t = {0};
    size_t n;
    int refused = 0;

    if (bench_new(&p, c->shape, c->causal))
        return 1;
    n = choose(&p, results, quick);
    for (size_t r = 0; r < rounds; r++) {
        double before = peak_flops(thread_count()), after;

        for (size_t i = 0; i < n; i++, before = after) {
            progress("N %zu, d %zu: round %zu of %zu, %s", p.Nq, p.d, r + 1,
                     rounds, results[i].step->name);
            results[i].is.seconds[r] = bench_run(&p, results[i].step);
            after = peak_flops(thread_count());
            results[i].is.share[r] = bench_flops(&p) /
                                     results[i].is.seconds[r] /
                                     ((before + after) / 2);
            peak = fmax(peak, after);
        }
    }
    progress_done();
    for (size_t i = 0; i < n; i++)
        slowest = fmax(slowest, median_seconds(&results[i].is, rounds));

    heading("(%zu, %zu, %zu, %zu)%s; highest peak %.1f GFLOP/s", p.B, p.Hq,
            p.Nq, p.d, p.causal ? " causal" : "", peak * 1e-9);
    table_row(&t, "step|GFLOP/s|of peak|ms|spread|ratio|error");
    for (size_t i = 0; i < n; i++)
        refused |= bench_line(tsv, &t, &p, &results[i].is, rounds,
                              slowest / median_seconds(&results[i].is, rounds));
    table_print(&t);
    printf("\n");
    bench_free(&p);
    return refused;
}

/* How many times as fast as flash2 on one thread a step is, at (1,8,1024,64),
 * in rounds of their own. */
static int compare(const char *where, const char *name, size_t threads)
{
    const attention_step *step = chapter_06_steps;
    const size_t rounds = 5, all = thread_count();
    double ratio[MAX_ROUNDS];
    attention_problem p;

    while (step->name && strcmp(step->name, name) != 0)
        step++;
    if (!step->name || bench_new(&p, (bench_shape){1, 8, 1024, 64}, false))
        return 1;
    for (size_t r = 0; r < rounds; r++) {
        double flash2_alone = bench_run(&p, &chapter_06_steps[1]);

        progress("%s, %s: round %zu of %zu", name, where, r + 1, rounds);
        use_threads(threads);
        ratio[r] = flash2_alone / bench_run(&p, step);
        use_threads(all);
    }
    progress_done();
    printf("%s, %s: %.1f times flash2 at (1, 8, 1024, 64)\n", name, where,
           quantile(ratio, rounds, 0.5));
    bench_free(&p);
    return 0;
}

int main(int argc, char **argv)
{
    bool quick = argc > 1 && strcmp(argv[1], "quick") == 0;
    replacement file;
    int failed = 0;

    if (replace_begin(&file, "build/bench.tsv"))
        return 1;
    bench_header(file.file);
    printf("%zu threads; FMA peak %.1f GFLOP/s, one thread %.1f; "
           "reading %.1f GB/s\n\n",
           thread_count(), peak_flops(thread_count()) * 1e-9,
           peak_flops(1) * 1e-9, peak_bandwidth(thread_count()) * 1e-9);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (cases[i].quick || !quick)
            failed |=
                measure(file.file, &cases[i], quick ? 5 : MAX_ROUNDS, quick);
    failed |= compare("one thread", "flash2_lanes", 1) |
              compare("all threads", "flash2_parallel", thread_count());
    failed |= replace_end(&file);
    printf("Steps that would take too long at a shape are left out there.\n");
    next_step("open docs/cpu_speed.md");
    return report_end(failed);
}
