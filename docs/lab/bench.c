/*
 * The benchmark: the steps of chapters 04-06 and of the way back as a share of
 * what this machine can do, which is measured in the same run; and decoding, as
 * a share of reading K and V.
 *
 *     build/docs/lab/bench [quick]    tables, and build/bench.tsv
 *
 * FLOPs are 4 d for each query and key that it sees, causal or not; on the way
 * back those of five products, 10 d, whatever a step does. The quick run ends
 * within a minute: where the machine is busy it takes fewer rounds, and leaves
 * tables out. docs/cpu_speed.md, docs/backward.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/npy/replace_file.h"
#include "common/print/outside.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/bench_rounds.h"

#include <stdlib.h>

/* How long a run may take and what the rounds of a step may, at one shape; and
 * after how many seconds nothing new begins. */
typedef struct {
    double counted; /* GFLOP of a step that counts, at 2 GFLOP/s */
    double flash2;  /* GFLOP of flash2, not causal */
    double lanes;   /* GFLOP of flash2_lanes, at 50 GFLOP/s a core */
    double read;    /* GFLOP of a step of the way back that is to be read */
    double seconds, all;
} patience;

static const patience quick_run = {0.3, 2.2, 36, 0, 0.45, 50},
                      whole_run = {2.2, 4, 1e3, 6, 3, 1e9};

typedef struct {
    bench_kind kind;
    bench_shape shape;
    bool quick; /* also in the quick run */
} bench_case;

static const bench_case cases[] = {
    {BACKWARD, {1, 8, 1024, 64, false}, true},
    {BACKWARD, {1, 8, 1024, 64, true}, true},
    {BACKWARD, {1, 8, 1024, 128, false}, true},
    {BACKWARD, {1, 8, 1024, 128, true}, true},
    {BACKWARD, {1, 8, 4096, 64, false}, false},
    {BACKWARD, {1, 8, 4096, 64, true}, false},
    {BACKWARD, {1, 8, 4096, 128, false}, false},
    {BACKWARD, {16, 12, 64, 64, false}, false},
    {BACKWARD, {16, 12, 256, 64, false}, false},
    {BACKWARD, {8, 12, 64, 64, false}, false},
    {FORWARD, {1, 8, 1024, 64, false}, true},
    {FORWARD, {1, 8, 1024, 64, true}, true},
    {FORWARD, {1, 8, 4096, 64, false}, true},
    {FORWARD, {1, 8, 4096, 64, true}, true},
    {FORWARD, {1, 8, 4096, 128, false}, true},
    {FORWARD, {1, 8, 4096, 128, true}, true},
    {FORWARD, {16, 12, 64, 64, false}, true},
    {FORWARD, {16, 12, 64, 64, true}, false},
    {FORWARD, {16, 12, 256, 64, false}, true},
    {FORWARD, {16, 12, 256, 64, true}, true},
    {FORWARD, {16, 12, 2048, 64, false}, false},
    {FORWARD, {16, 12, 2048, 64, true}, false},
    {FORWARD, {8, 12, 64, 64, false}, false},
    {FORWARD, {8, 12, 64, 64, true}, false},
    {DECODING, {1, 8, 65536, 64, false}, true},
    {DECODING, {1, 8, 65536, 128, false}, false},
};

#define CASES (sizeof cases / sizeof *cases)

/* --- Forward --------------------------------------------------------------- */

static const layer *layer_in(const race *r)
{
    return &r->problem->b.forward.problem;
}

static double probe_flops(const bench_problem *w)
{
    (void)w;
    return peak_flops(thread_count());
}

static bool is_worth_waiting(double gflop, bool causal, const attention_step *s,
                             const patience *most)
{
    bool compared = s->run == flash2 || s->run == flash2_parallel;

    if (s->run == split_kv || s->run == split_kv_simd)
        return false; /* with many queries they are flash2 */
    if (s->run == flash2_lanes)
        return gflop <= most->lanes;
    return !s->formula || gflop <= most->counted ||
           (compared && !causal && gflop <= most->flash2);
}

static void join_forward(race *r, const patience *most)
{
    static const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};

    r->work = bench_flops(layer_in(r));
    for (size_t k = 0; k < sizeof chapters / sizeof *chapters; k++)
        for (const attention_step *s = chapters[k]; s->name; s++)
            if (is_worth_waiting(r->work * 1e-9, layer_in(r)->each.causal, s,
                                 most))
                race_join(r, s->name, s);
}

/* --- Backward -------------------------------------------------------------- */

static void join_backward(race *r, const patience *most)
{
    r->work = 2.5 * bench_flops(layer_in(r));
    for (const attention_step *s = chapter_06_backward; s->name; s++)
        if (!s->back_formula || r->work < most->read * 1e9)
            race_join(r, s->name, s);
}

/* --- Decoding -------------------------------------------------------------- */

/* Half of the bytes are K's. */
static double probe_reading(const bench_problem *w)
{
    const layer *p = &w->b.forward.problem;
    size_t n = p->Hk * p->each.Nk * p->each.d;

    return 2 / (1 / peak_read(thread_count(), p->each.K.hbm.data, n) +
                1 / peak_read(thread_count(), p->each.V.hbm.data, n));
}

/* One query a head. Each K and V is read once for two multiply-adds, so memory
 * is the limit. */
static void join_decoding(race *r)
{
    const layer *p = layer_in(r);

    r->work = 2 * sizeof(float) * (double)(p->Hk * p->each.Nk * p->each.d);
    r->probe = probe_reading;
    r->most = 1.1; /* the probe's order of reading may not be the very best */
    for (const attention_step *s = chapter_06_steps; s->name; s++)
        if (s->run == flash2_parallel || s->run == split_kv ||
            s->run == split_kv_simd)
            race_join(r, s->name, s);
}

/* --- Tables ---------------------------------------------------------------- */

static void write_line(FILE *tsv, const char *what, const layer *p,
                       const race *r, contender *c)
{
    double seconds = median_seconds(c);

    fprintf(tsv,
            "%s\t%s\t%zu\t%zu\t%zu\t%zu\t%d\t%.2f\t%.2f\t%.4f\t%.4f\t%.2e\n",
            what, c->name, p->B, p->Hq, p->each.Nk, p->each.d, p->each.causal,
            r->work / seconds * 1e-9, 100 * quantile(c->share, c->done, 0.5),
            seconds * 1e3, spread_of(c), c->error);
}

static void print_race(FILE *tsv, const char *what, const layer *p, race *r)
{
    table t = {0};

    race_run(r);
    heading("%s", r->title);
    table_row(&t, r->probe == probe_reading
                      ? "step|GB/s|of reading|ms|spread|error"
                      : "step|GFLOP/s|of peak|ms|spread|error");
    for (size_t k = 0; k < r->n; k++)
        if (race_row(r, &r->all[k], &t))
            write_line(tsv, what, p, r, &r->all[k]);
    table_print(&t);
    puts("");
}

static int measure_case(const bench_case *c, const patience *most, double until,
                        FILE *tsv)
{
    static const char *const kinds[] = {"forward", "back", "decoding"};
    static race r; /* large */
    bench_problem w;
    const layer *p = &w.b.forward.problem;
    char title[80];
    int failed = bench_new(&w, c->shape, c->kind);

    r = (race){.title = title,
               .problem = &w,
               .run = bench_run_step,
               .probe = probe_flops,
               .error = bench_error,
               .most = 1,
               .patience = most->seconds,
               .until = until};
    if (!failed) {
        snprintf(title, sizeof title, "%s: %s", kinds[c->kind],
                 shape_text(p).text);
        if (c->kind == FORWARD)
            join_forward(&r, most);
        else if (c->kind == BACKWARD)
            join_backward(&r, most);
        else
            join_decoding(&r);
        print_race(tsv, kinds[c->kind], p, &r);
    }
    bench_free(&w);
    return failed;
}

/* All tables. Those that the time is up for are left out, and counted. */
static int measure_all(FILE *tsv, bool quick)
{
    const patience *most = quick ? &quick_run : &whole_run;
    double end = stopwatch() + most->all;
    size_t parts = 0, left_out = 0;
    int failed = 0;

    for (size_t k = 0; k < CASES; k++)
        parts += cases[k].quick || !quick;
    for (size_t k = 0; k < CASES; k++) {
        double now = stopwatch();

        if (quick && !cases[k].quick)
            continue;
        if (now < end) /* each has its part of what is left */
            failed |= measure_case(&cases[k], most,
                                   now + (end - now) / (double)parts, tsv);
        else
            left_out++;
        parts--;
    }
    printf("Steps that would take too long at a shape are left out there.\n");
    if (left_out)
        printf("%zu tables are left out: the machine is busy, and the quick "
               "run ends\nwithin a minute.\n",
               left_out);
    return failed;
}

static void put_text(FILE *file, size_t k, const void *texts)
{
    fputs(((char *const *)texts)[k], file);
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"quick", NULL};
    const char *path = "build/bench.tsv";
    int word = word_given(argc, argv, known), failed;
    char *rows = NULL;
    size_t length;
    FILE *tsv;

    if (word < 0)
        return 2;
    tsv = open_memstream(&rows, &length);
    if (!tsv)
        return refused(1, "bench", "out of memory");
    if (replace_files(1, &path, NULL, NULL) != 0)
        return 1;
    fprintf(tsv, "what\tstep\tB\tH\tN\td\tcausal\trate\tpercent\tms\t"
                 "spread\terror\n");
    printf("%zu threads; FMA peak %.1f GFLOP/s, one thread %.1f; "
           "reading %.1f GB/s\n\n",
           thread_count(), peak_flops(thread_count()) * 1e-9,
           peak_flops(1) * 1e-9, peak_bandwidth(thread_count()) * 1e-9);
    failed = measure_all(tsv, word == 0);
    if (fclose(tsv) != 0 || failed ||
        replace_files(1, &path, put_text, &rows) != 0)
        failed = 1;
    free(rows);
    print_refused();
    next_step("open docs/cpu_speed.md");
    return report_end(failed);
}
