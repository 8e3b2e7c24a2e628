/*
 * The benchmark. Measures the steps of chapters 04-06 and of the backward pass,
 * and divides their FLOP/s by this machine's peak. For decoding it divides the
 * bytes per second by the speed of reading K and V.
 *
 *     build/docs/lab/bench [quick]    writes build/bench.tsv
 *     build/docs/lab/bench bf16       only bf16; writes build/bench_bf16.tsv
 *                                     (AMX) or build/bench_pairs.tsv
 *
 * A round runs probe, step, probe, step, ... A probe measures the peak. So a
 * machine that becomes slower slows the step and its probes. The results are
 * medians over the rounds. The spread is the range of the middle half of the
 * times, divided by their median. Each pair of a query and a key that it sees
 * has 4 d FLOPs, in the backward pass 10 d.
 * docs/cpu_speed.md, docs/backward.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/fast/bf16_heads.h"
#include "06_flash2/steps.h"
#include "common/print/outside.h"
#include "common/speed/peak.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

enum { MOST_STEPS_HERE = 24, MOST_ROUNDS = 31 };

/* Each shape is measured without a causal limit, and with one if `variants` is
 * 2. The quick run measures the first `in_quick` of these variants. */
typedef struct {
    bench_kind kind;
    bench_shape shape;
    size_t variants, in_quick;
} bench_case;

static const bench_case cases[] = {
    {BACKWARD, {1, 8, 1024, 64, 0}, 2, 2},
    {BACKWARD, {1, 8, 1024, 128, 0}, 2, 2},
    {BACKWARD, {1, 8, 4096, 64, 0}, 2, 0},
    {BACKWARD, {1, 8, 4096, 128, 0}, 1, 0},
    {BACKWARD, {16, 12, 64, 64, 0}, 1, 0},
    {BACKWARD, {16, 12, 256, 64, 0}, 1, 0},
    {BACKWARD, {8, 12, 64, 64, 0}, 1, 0},
    {FORWARD, {1, 8, 1024, 64, 0}, 2, 2},
    {FORWARD, {1, 8, 4096, 64, 0}, 2, 2},
    {FORWARD, {1, 8, 4096, 128, 0}, 2, 2},
    {FORWARD, {16, 12, 64, 64, 0}, 2, 1},
    {FORWARD, {16, 12, 256, 64, 0}, 2, 2},
    {FORWARD, {16, 12, 2048, 64, 0}, 2, 0},
    {FORWARD, {8, 12, 64, 64, 0}, 2, 0},
    {FORWARD_BF16, {1, 8, 1024, 64, 0}, 2, 1},
    {FORWARD_BF16, {1, 8, 4096, 64, 0}, 2, 0},
    {FORWARD_BF16, {1, 8, 1024, 128, 0}, 2, 1},
    {FORWARD_BF16, {1, 8, 4096, 128, 0}, 2, 0},
    {FORWARD_BF16, {16, 12, 64, 64, 0}, 1, 0},
    {FORWARD_BF16, {16, 12, 256, 64, 0}, 1, 0},
    {DECODING, {1, 8, 65536, 64, 0}, 1, 1},
    {DECODING_BF16, {1, 8, 65536, 64, 0}, 1, 1},
    {DECODING_FP16, {1, 8, 65536, 64, 0}, 1, 1},
    {DECODING, {1, 8, 65536, 128, 0}, 1, 0},
    {DECODING_BF16, {1, 8, 65536, 128, 0}, 1, 0},
    {DECODING_FP16, {1, 8, 65536, 128, 0}, 1, 0},
    {DECODING, {1, 8, 32768, 256, 0}, 1, 0},
};
enum { CASES = sizeof cases / sizeof *cases };

static bool quick, bf16;
static size_t refusals;

typedef struct {
    const char *name;
    const void *step;   /* an attention_step, or a backward_step */
    double error, warm; /* warm: seconds of the first run */
    double seconds[MOST_ROUNDS];
    double share[MOST_ROUNDS]; /* rate / peak that the probes measured */
    size_t done;               /* rounds measured so far */
} contender;

typedef struct {
    const bench_case *of;
    bench_problem problem;
    double work; /* of one run: FLOPs, or for decoding the bytes of K and V */
    contender all[MOST_STEPS_HERE];
    size_t n;
} race;

static bool by_pairs(void)
{
    const char *instructions = bf16_instructions();

    return instructions && strcmp(instructions, "pairs") == 0;
}

/* Steps that are not written for speed take half a second or more per GFLOP.
 * With many queries split_kv_simd only runs flash2_simd. */
static bool is_worth_waiting(const race *r, const attention_step *s)
{
    bool splits = s->run == split_kv || s->run_layer == split_kv_simd;
    double gflop = r->work * 1e-9;

    switch (r->of->kind) {
    case DECODING:
        return splits || s->run_layer == flash2_parallel;
    case DECODING_BF16:
    case DECODING_FP16:
        return s->run_layer == split_kv_simd;
    case FORWARD_BF16: /* only steps with the CPU's instructions */
        if (s->type != BF16)
            return s->run_layer == flash2_simd;
        return by_pairs() == (s->run_layer == flash2_pairs);
    default:
        if (splits || !s->formula)
            return !splits;
        return gflop <
               (quick && s->run != flash2 && s->run_layer != flash2_parallel
                    ? 0.3
                    : 4);
    }
}

static void add_step(race *r, const char *name, const void *step)
{
    contender c = {.name = name, .step = step};

    if (r->n == MOST_STEPS_HERE)
        return;
    progress("%s", name);
    c.warm = bench_run_step(&r->problem, step);
    c.error = bench_error(&r->problem);
    if (c.warm >= 0)
        r->all[r->n++] = c;
}

static void add_steps(race *r, const attention_step *steps)
{
    for (const attention_step *s = steps; s->name; s++)
        if (is_worth_waiting(r, s))
            add_step(r, s->name, s);
}

static void add_backward_steps(race *r)
{
    for (const backward_step *s = chapter_06_backward; s->name; s++)
        if (!s->formula || r->work * 1e-9 < (quick ? 0 : 6))
            add_step(r, s->name, s);
}

/* Returns the peak: FLOP/s, or for decoding bytes/s of reading K and V. Some
 * CPUs do fewer FLOP/s with AVX512-BF16 than in fp32. */
static double probe(const race *r)
{
    const layer *p = &r->problem.b.forward.layer;
    size_t n = p->Hk * p->each.Nk * p->each.d;

    if (r->of->kind == FORWARD_BF16)
        return fmax(bf16_peak(thread_count()), peak_flops(thread_count()));
    if (r->of->kind < DECODING)
        return peak_flops(thread_count());
    return 2 / (1 / peak_read(thread_count(), p->each.K.hbm.data, n) +
                1 / peak_read(thread_count(), p->each.V.hbm.data, n));
}

static void run_rounds(race *r)
{
    double patience = quick ? 0.45 : bf16 ? 1 : 3; /* time limit of a step, s */
    size_t least = quick ? 1 : 3;

    for (size_t nth = 0; nth < MOST_ROUNDS; nth++) {
        double before = probe(r);

        for (size_t k = 0; k < r->n; k++) {
            contender *c = &r->all[k];
            double after;

            if (nth >= least && (double)nth * (c->warm + 0.02) > patience)
                continue;
            progress("%s: round %zu", c->name, nth + 1);
            c->seconds[nth] = bench_seconds(&r->problem, c->step);
            after = probe(r);
            c->share[nth] = r->work / c->seconds[nth] / ((before + after) / 2);
            before = after;
            c->done++;
        }
    }
    progress_done();
}

static const char *const kinds[] = {
    "forward", "bf16", "back", "decoding", "decoding bf16", "decoding fp16"};

static void print_row(race *r, contender *c, table *t, FILE *tsv)
{
    const layer *p = &r->problem.b.forward.layer;
    double seconds = quantile(c->seconds, c->done, 0.5);
    double share = quantile(c->share, c->done, 0.5);
    double spread = (quantile(c->seconds, c->done, 0.75) -
                     quantile(c->seconds, c->done, 0.25)) /
                    seconds;

    /* The step may read faster than the probe. */
    if (!(share <= (r->of->kind >= DECODING ? 1.1 : 1))) {
        table_row(t, "%s|refused|%.0f %%", c->name, 100 * share);
        refusals++;
        return;
    }
    table_row(t, "%s|%.1f|%.1f %%|%.2f|%.0f %%|%s", c->name,
              r->work / seconds * 1e-9, 100 * share, seconds * 1e3,
              100 * spread, error_text(c->error).text);
    fprintf(tsv,
            "%s\t%s\t%zu\t%zu\t%zu\t%zu\t%d\t%.2f\t%.2f\t%.4f\t%.4f\t%.2e\n",
            kinds[r->of->kind], c->name, p->B, p->Hq, p->each.Nk, p->each.d,
            p->each.rule.causal, r->work / seconds * 1e-9, 100 * share,
            seconds * 1e3, spread, c->error);
}

static int measure_case(const bench_case *of, FILE *tsv)
{
    static race r; /* too large for the stack */
    const layer *p = &r.problem.b.forward.layer;
    table t = {0};
    int failed;

    r = (race){.of = of};
    failed = bench_new(&r.problem, of->shape, of->kind);
    if (!failed) {
        r.work = bench_flops(p) * (of->kind == BACKWARD ? 2.5 : 1);
        if (of->kind >= DECODING)
            r.work = (of->kind == DECODING ? 8 : 4) *
                     (double)(p->Hk * p->each.Nk * p->each.d);
        if (of->kind == FORWARD) {
            add_steps(&r, chapter_04_steps);
            add_steps(&r, chapter_05_steps);
        }
        if (of->kind == BACKWARD)
            add_backward_steps(&r);
        else
            add_steps(&r, chapter_06_steps);
        if (of->kind == FORWARD_BF16)
            add_steps(&r, chapter_06_bf16);
        run_rounds(&r);
        heading("%s: (%zu, %zu, %zu, %zu)%s", kinds[of->kind], p->B, p->Hq,
                p->each.Nk, p->each.d, p->each.rule.causal ? " causal" : "");
        table_row(&t, of->kind >= DECODING
                          ? "step|GB/s|of reading|ms|spread|error"
                          : "step|GFLOP/s|of peak|ms|spread|error");
        for (size_t k = 0; k < r.n; k++)
            print_row(&r, &r.all[k], &t, tsv);
        table_print(&t);
        puts("");
    }
    bench_free(&r.problem);
    return failed;
}

/* A quick run begins no table after 50 seconds. */
static int measure_all(FILE *tsv)
{
    const bool has_bf16 = bf16_instructions();
    double end = stopwatch() + 50;
    size_t left_out = 0;
    int failed = 0;

    fprintf(tsv, "what\tstep\tB\tH\tN\td\tcausal\trate\tpercent\tms\tspread\t"
                 "error\n");
    for (size_t k = 0; k < CASES; k++)
        for (size_t nth = 0; nth < cases[k].variants; nth++) {
            bench_case c = cases[k];
            bool in_bf16 = c.kind == FORWARD_BF16;

            c.shape.causal = nth == 1;
            if ((in_bf16 && !has_bf16) || (bf16 && !in_bf16) ||
                (quick && nth >= c.in_quick))
                continue;
            if (quick && stopwatch() > end)
                left_out++;
            else
                failed |= measure_case(&c, tsv);
        }
    if (!has_bf16)
        printf("This CPU has neither AMX nor AVX512-BF16. "
               "docs/results/bench_bf16.tsv\nhas tables in bf16.\n");
    printf("At each shape, steps that would take too long are left out.\n");
    if (left_out)
        printf("%zu tables are left out: the machine is busy.\n", left_out);
    if (refusals)
        printf("%zu results were refused: above the measured peak.\n"
               "Other programs slowed the probes. The other rows are valid.\n",
               refusals);
    return failed;
}

int main(int argc, char **argv)
{
    static const char *const known[] = {"quick", "bf16", NULL};
    const char *part = "build/bench.tsv.part", *path;
    int word = word_given(argc, argv, known), failed;
    FILE *tsv;

    if (word < 0)
        return 2;
    tsv = fopen(part, "w");
    if (!tsv)
        return refused(1, part, "cannot be written");
    quick = word == 0;
    bf16 = word == 1;
    path = !bf16        ? "build/bench.tsv"
           : by_pairs() ? "build/bench_pairs.tsv"
                        : "build/bench_bf16.tsv";
    printf("%zu threads; FMA peak %.1f GFLOP/s, one thread %.1f; "
           "reading %.1f GB/s\n",
           thread_count(), peak_flops(thread_count()) * 1e-9,
           peak_flops(1) * 1e-9, peak_bandwidth(thread_count()) * 1e-9);
    if (bf16_instructions())
        printf("bf16 by %s: peak %.1f GFLOP/s\n", bf16_instructions(),
               bf16_peak(thread_count()) * 1e-9);
    puts("");
    failed = measure_all(tsv);
    if (ferror(tsv) | fclose(tsv) || failed || rename(part, path) != 0) {
        remove(part);
        failed = refused(1, path, "not written");
    }
    next_step("make bench-peers");
    return report_end(failed);
}
