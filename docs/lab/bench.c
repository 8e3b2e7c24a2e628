/*
 * The benchmark: every step of chapters 04-06 as a share of what this machine
 * can do, which is measured in the same run.
 *
 *     build/docs/lab/bench [quick]    tables, and build/bench.tsv and
 *                                     build/decoding.tsv
 *
 * One round is: peak probe, step, peak probe, step, ..., so that a machine that
 * slows down slows both; a short run is repeated for as long as a probe takes.
 * Medians over the rounds; the spread is their middle half over the median. A
 * figure above the peak would be a mistake in timing, and is refused. FLOPs are
 * 4 d for each query and key that it sees: causal counts half. The quick run
 * ends within a minute: where the machine is busy it takes fewer rounds.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/speed/peak.h"
#include "common/npy/replace_file.h"
#include "common/print/report.h"
#include "common/threads.h"
#include "docs/lab/bench_compare.h"
#include "docs/lab/bench_decoding.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_result.h"

enum { MAX_STEPS = 24, LEAST_ROUNDS = 3 };

/* A run that is shorter is repeated: as long as a probe takes. */
static const double least_seconds = 0.02;

/* How long a run may take and what the rounds of a step may, at one shape; and
 * after how many seconds nothing new begins. */
typedef struct {
    double counted; /* GFLOP of a step that counts, at 2 GFLOP/s */
    double flash2;  /* GFLOP of flash2, not causal */
    double lanes;   /* GFLOP of flash2_lanes, at 50 GFLOP/s a core */
    double seconds, all;
} patience;

static const patience quick_run = {0.3, 2.2, 36, 0.45, 38},
                      whole_run = {2.2, 4, 1e3, 3, 1e9};

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

#define CASES (sizeof cases / sizeof *cases)

/* A step, and what it came to on one case. */
typedef struct {
    const attention_step *step;
    size_t runs, rounds; /* runs of a round; rounds that it has time for */
    size_t done;         /* rounds */
    bench_result is;
} result;

static bool is_worth_waiting(const layer *p, const attention_step *s,
                             const patience *most)
{
    bool compared = s->run == flash2 || s->run == flash2_parallel;
    double gflop = bench_flops(p) * 1e-9;

    if (s->run == split_kv || s->run == split_kv_simd)
        return false; /* with many queries they are flash2 */
    if (s->run == flash2_lanes)
        return gflop <= most->lanes;
    return !s->formula || gflop <= most->counted ||
           (compared && !p->each.causal && gflop <= most->flash2);
}

/* One run of each warms it up, and gives its error. */
static size_t choose(const layer *p, result *results, const patience *most)
{
    static const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};
    size_t n = 0;

    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        for (const attention_step *s = chapters[i]; s->name; s++) {
            double seconds, runs, rounds;

            if (n == MAX_STEPS || !is_worth_waiting(p, s, most))
                continue;
            progress("%s: %s", shape_text(p).text, s->name);
            seconds = bench_run(p, s);
            if (seconds < 0)
                continue;
            runs = ceil(least_seconds / seconds);
            rounds = fmax(LEAST_ROUNDS, most->seconds / (runs * seconds));
            results[n++] = (result){s,
                                    (size_t)runs,
                                    (size_t)fmin(rounds, MAX_ROUNDS),
                                    0,
                                    {.name = s->name, .error = bench_error(p)}};
        }
    return n;
}

/* Round r of those that have so many. From the second on nothing begins after
 * `until`. Gives the highest peak. */
static double run_round(const layer *p, result *results, size_t n, size_t r,
                        double until)
{
    double before = peak_flops(thread_count()), peak = before, after;

    for (size_t i = 0; i < n; i++) {
        bench_result *is = &results[i].is;

        if (r >= results[i].rounds || (r > 0 && stopwatch() >= until))
            continue;
        progress("%s: round %zu of %zu, %s", shape_text(p).text, r + 1,
                 results[i].rounds, is->name);
        is->seconds[r] = bench_mean(p, results[i].step, results[i].runs);
        after = peak_flops(thread_count());
        is->share[r] = bench_flops(p) / is->seconds[r] / ((before + after) / 2);
        peak = fmax(peak, after);
        before = after;
        results[i].done++;
    }
    return peak;
}

static int measure(FILE *tsv, const bench_case *c, const patience *most,
                   double until)
{
    layer p;
    result results[MAX_STEPS];
    double slowest = 0, peak = 0;
    table t = {0};
    size_t n;

    if (bench_new(&p, c->shape, c->causal))
        return 1;
    n = choose(&p, results, most);
    for (size_t r = 0; r < MAX_ROUNDS && (!r || stopwatch() < until); r++)
        peak = fmax(peak, run_round(&p, results, n, r, until));
    progress_done();
    for (size_t i = 0; i < n; i++)
        slowest =
            fmax(slowest, median_seconds(&results[i].is, results[i].done));

    heading("%s; highest peak %.1f GFLOP/s", shape_text(&p).text, peak * 1e-9);
    table_row(&t, "step|GFLOP/s|of peak|ms|spread|ratio|error");
    for (size_t i = 0; i < n; i++) {
        bench_result *is = &results[i].is;
        double ratio = slowest / median_seconds(is, results[i].done);

        bench_line(tsv, &t, &p, is, results[i].done, ratio);
    }
    table_print(&t);
    printf("\n");
    bench_free(&p);
    return 0;
}

/* When what is next must end: it has its part of what is left until `end`. */
static double part_of(double end, size_t *parts)
{
    double now = stopwatch();

    return now + (end - now) / (double)(*parts)--;
}

/* All tables. Those that the time is up for are left out, and counted. */
static int measure_all(FILE *tsv, FILE *decoding, bool quick, size_t *left_out)
{
    const patience *most = quick ? &quick_run : &whole_run;
    double end = stopwatch() + most->all;
    size_t parts = 1;
    int failed = 0;

    for (size_t i = 0; i < CASES; i++)
        parts += cases[i].quick || !quick;
    for (size_t i = 0; i < CASES; i++) {
        double until;

        if (quick && !cases[i].quick)
            continue;
        until = part_of(end, &parts);
        if (stopwatch() < end)
            failed |= measure(tsv, &cases[i], most, until);
        else
            ++*left_out;
    }
    if (stopwatch() >= end) {
        *left_out += 2;
        return failed;
    }
    failed |= bench_compare((stopwatch() + end) / 2);
    failed |= bench_decoding(decoding, 64, end);
    if (!quick)
        failed |= bench_decoding(decoding, 128, end);
    return failed;
}

int main(int argc, char **argv)
{
    bool quick = argc == 2 && strcmp(argv[1], "quick") == 0;
    static replacement files[2]; /* of 8 KB each */
    size_t left_out = 0;
    int failed;

    if (argc > 1 && !quick) {
        fprintf(stderr, "'%s': not an argument (quick, or none)\n", argv[1]);
        return 2;
    }
    if (replace_begin(&files[0], "build/bench.tsv"))
        return 1;
    if (replace_begin(&files[1], "build/decoding.tsv"))
        return replace_end(files, 1, 1);
    bench_header(files[0].file);
    bench_decoding_header(files[1].file);
    printf("%zu threads; FMA peak %.1f GFLOP/s, one thread %.1f; "
           "reading %.1f GB/s\n\n",
           thread_count(), peak_flops(thread_count()) * 1e-9,
           peak_flops(1) * 1e-9, peak_bandwidth(thread_count()) * 1e-9);
    failed = measure_all(files[0].file, files[1].file, quick, &left_out);
    failed |= replace_end(files, 2, 0);
    printf("\nSteps that would take too long at a shape are left out there.\n");
    if (left_out)
        printf("%zu tables are left out: the machine is busy, and the quick "
               "run ends\nwithin a minute.\n",
               left_out);
    bench_end();
    next_step("open docs/cpu_speed.md");
    return report_end(failed);
}
