/*
 * The program of chapter 07: the ladder of CUDA kernels, on a GPU or on the
 * CPU. docs/07_cuda.md
 */
#include <stdio.h>
#include <stdlib.h>

#include "common/lesson/attention/measure.h"

#include "07_cuda/host/device.h"
#include "07_cuda/steps.h"
#include "common/print/outside.h"

#ifdef CUDA_ON_CPU
static words conflicts_cell(const struct cuda_counts *c)
{
    words w = {""};

    if (cuda_on_cpu_effort() == CUDA_FULL)
        snprintf(w.text, sizeof w.text, "%zu|",
                 (size_t)(c->shared_wavefronts - c->shared_wavefronts_best));
    return w;
}

static void print_rungs(const measurement m[], size_t n)
{
    bool full = cuda_on_cpu_effort() == CUDA_FULL;
    table t = {0};

    table_row(&t,
              "|HBM, elements|read|written|by formula|barriers|%serror|time",
              full ? "conflicts|" : "");
    for (size_t k = 0; k < n; k++) {
        const attention_step *step = m[k].step;
        const counts *c = &m[k].counted;

        if (!m[k].done)
            continue;
        struct cuda_counts cuda = rung_counts(step->name);

        table_row(&t, "%s|%s|%s|%s|%s|%s|%s%s|%s", rung_number(step->name),
                  step->name, count_text(c->read[ALGORITHM]).text,
                  count_text(c->written[ALGORITHM]).text,
                  is_counted(step) ? count_text(counts_moved(m[k].formula)).text
                                   : "-",
                  count_text((size_t)cuda.barriers).text,
                  conflicts_cell(&cuda).text, error_cell(&m[k]).text,
                  time_text(m[k].seconds).text);
    }
    table_print(&t);
    puts("The times are the emulator's, on this CPU. A GPU has other times.");
}

static int lesson(const measurement m[])
{
    bool low = widest_here(&ladder[FIRST_16_BIT].needs) > 0;

    prose("0 standard moves %.1f times as many elements as 1 flash1, and 1 "
          "flash1 moves %.1f times as many as 2 flash2. These rungs are the "
          "steps of chapters 04, 05 and 06. From %s %s on, d and dv are padded "
          "to 64 columns.",
          (double)counts_moved(m[RUNG_standard].counted) /
              (double)counts_moved(m[RUNG_flash1].counted),
          (double)counts_moved(m[RUNG_flash1].counted) /
              (double)counts_moved(m[RUNG_flash2].counted),
          ladder[FIRST_HOPPER].number, ladder[FIRST_HOPPER].name);
    puts("");
    return table_of_ladder(low ? m[FIRST_16_BIT].step->type : FP32);
}

/* Turns off the emulator's checks, unless CUDA_ON_CPU is set. */
static void count_only(void)
{
    const char *effort = getenv("CUDA_ON_CPU");

    if (!effort || !*effort)
        cuda_on_cpu_set_effort(CUDA_COUNT);
}
#else
static void print_rungs(const measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "|rung|computes in|error|time, with copies");
    for (size_t k = 0; k < n; k++)
        if (m[k].done)
            table_row(&t, "%s|%s|%s|%s|%s", rung_number(m[k].step->name),
                      m[k].step->name, precision_name(m[k].step->type),
                      error_cell(&m[k]).text, time_text(m[k].seconds).text);
    table_print(&t);
}

static int lesson(const measurement m[])
{
    (void)m;
    prose("These times include copies to the device and back. `make gpu-check` "
          "measures the kernels without copies.");
    return 0;
}

int table_for_plots(precision type)
{
    (void)type;
    return refused(2, "--csv",
                   "nothing is counted on a GPU (use the emulator: "
                   "CUDA_ON_CPU=full ./run --csv)");
}

static void count_only(void)
{
}
#endif

/* Prints the lane that has each score of a 16 x 8 tile of S after mma.sync.
 * Lane 4g + t has columns 2t and 2t + 1 of rows g and g + 8. */
static int trace_lanes(void)
{
    heading("A tile of S, 16 queries by 8 keys: the lane of each score");
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++)
            printf("%4d", row % 8 * 4 + column / 2);
        puts("");
    }
    puts("");
    prose(
        "The 32 lanes of a warp compute the tile by one instruction, mma.sync. "
        "Lane 4g + t then has four scores: columns 2t and 2t + 1 of rows g "
        "and g + 8. So four lanes share a row, and they find its maximum "
        "with two shuffles.");
    puts("");
    next_step("make exercise-07\n  or: ./run");
    return 0;
}

/* False if nvcc could not compile the rung. A rung that is compiled refuses
 * D = 0, except for the first one, and launches nothing. */
static bool compiled(const rung *r)
{
    const rung_problem none = {.heads = 1, .group = 1, .Nq = 1, .Nk = 1};

    return r == &ladder[RUNG_standard] || r->run(&none) != NO_KERNEL;
}

static void print_where(void)
{
    printf("On %s.\n", device_name());
    for (const rung *r = ladder; r < ladder + RUNGS; r++) {
        char label[40];

        snprintf(label, sizeof label, "%s %s", r->number, r->name);
        print_left_out(stdout, label, &r->needs);
        if (widest_here(&r->needs) > 0 && !compiled(r))
            printf("left out: %s: not compiled\n", label);
    }
    puts("");
}

int main(int argc, char **argv)
{
    const char about[] =
        "The ladder: FlashAttention in CUDA, one idea per kernel.";
    measurement m[RUNGS];
    lesson_options o;
    problem p;
    size_t n = 0;
    int status;

    if (!options_read(&o, about, "trace csv causal n nk d seed step", argc,
                      argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace_lanes());
    if (o.csv)
        return report_end(table_for_plots(BF16));
    count_only();

    problem_of(&p, &o, ladder_bytes);
    for (int r = 0; r < RUNGS; r++)
        if (step_of(r, BF16) && compiled(&ladder[r]))
            measure(&m[n++], &p, step_of(r, BF16));
    if (check_step_name(&p) == 0) {
        if (o.no_options)
            print_where();
        print_problem(&p.layer, 0);
        print_rungs(m, n);
        print_error_rows(&p);
        if (o.no_options) {
            p.status = lesson(m);
            puts("");
        }
        next_step("make exercise-07\n  or: ./run --trace");
    }
    problem_free(&p);
    return report_end(p.status);
}
