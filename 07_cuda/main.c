/*
 * The program of chapter 07: the ladder of CUDA kernels, on a GPU or on the
 * CPU. docs/07_cuda.md
 */
#define _POSIX_C_SOURCE 200809L /* setenv */
#include <stdio.h>
#include <stdlib.h>

#include "common/print/report.h"
#include "common/program/attention_program.h"

#include "07_cuda/backward/program.h"
#include "07_cuda/host/device.h"
#include "07_cuda/steps.h"
#include "07_cuda/host/table.h"

/* --- The table of the problem at hand, and the lesson --------------------- */

#ifdef CUDA_ON_CPU
/* "12,345|", a cell; none unless they are seen: at `full`. */
static words conflicts_cell(const struct cuda_counts *c)
{
    words w = {""};

    if (cuda_on_cpu_effort() == CUDA_FULL)
        snprintf(w.text, sizeof w.text, "%zu|",
                 (size_t)(c->shared_wavefronts - c->shared_wavefronts_best));
    return w;
}

/* Of each rung what the emulator counted. */
static void table_of_steps(const measurement m[], size_t n)
{
    bool full = cuda_on_cpu_effort() == CUDA_FULL;
    table t = {0};

    table_row(&t, "HBM, elements|read|written|by formula|barriers|%serror|time",
              full ? "conflicts|" : "");
    for (size_t k = 0; k < n; k++) {
        struct cuda_counts c = rung_counts(m[k].name);
        const counts *moves = &m[k].counted;
        size_t formula = moved(&m[k].formula, ALGORITHM);

        table_row(&t, "%s|%s|%s|%s|%s|%s%s|%s", m[k].name,
                  count_text(moves->read[ALGORITHM]).text,
                  count_text(moves->written[ALGORITHM]).text,
                  is_counted(m[k].step) ? count_text(formula).text : "-",
                  count_text((size_t)c.barriers).text, conflicts_cell(&c).text,
                  error_cell(&m[k]).text, time_text(m[k].seconds).text);
    }
    table_print(&t);
}

static int lesson(const layer *l, size_t M, const measurement m[])
{
    (void)l;
    (void)M;
    prose("%s moves %.1f times what %s moves, and %s %.1f times what %s moves: "
          "chapters 04 to 06, counted again. From %s on, d and dv are padded "
          "to 64 columns.",
          m[RUNG_standard].step->name,
          (double)moved(&m[RUNG_standard].counted, ALGORITHM) /
              (double)moved(&m[RUNG_flash1].counted, ALGORITHM),
          m[RUNG_flash1].step->name, m[RUNG_flash1].step->name,
          (double)moved(&m[RUNG_flash1].counted, ALGORITHM) /
              (double)moved(&m[RUNG_flash2].counted, ALGORITHM),
          m[RUNG_flash2].step->name, ladder[FIRST_HOPPER].name);
    puts("");
    /* A card without tensor cores for them has no rung of 16 bits in m. */
    bool low = widest_here(&ladder[FIRST_16_BIT].needs) > 0;
    return table_of_ladder(low ? m[FIRST_16_BIT].step->type : FP32);
}
#else
#define table_for_plots NULL

/* Nothing is counted on a GPU: that each rung is right. */
static void table_of_steps(const measurement m[], size_t n)
{
    table t = {0};

    table_row(&t, "rung|computes in|error|time, with copies");
    for (size_t k = 0; k < n; k++)
        table_row(&t, "%s|%s|%s|%s", m[k].name, precision_name(m[k].step->type),
                  error_cell(&m[k]).text, time_text(m[k].seconds).text);
    table_print(&t);
}

static int lesson(const layer *l, size_t M, const measurement m[])
{
    (void)l;
    (void)M;
    (void)m;
    prose(
        "These times include copying to the device and back: `make gpu-check` "
        "has the kernels' own.");
    return 0;
}
#endif

/* Who holds what of a 16 x 8 tile of S, after mma.sync: lane 4 g + t has
 * columns 2t and 2t + 1 of rows g and g + 8. */
static int trace_lanes(void)
{
    heading("A tile of S, 16 queries by 8 keys: the lane of each score");
    for (int row = 0; row < 16; row++) {
        for (int column = 0; column < 8; column++)
            printf("%4d", row % 8 * 4 + column / 2);
        puts("");
    }
    return 0;
}

/* "On ...", and which rungs are not for that machine. */
static void say_where(void)
{
    printf("On %s.\n", device_name());
    for (const rung *r = ladder; r < ladder + RUNGS; r++)
        print_left_out(stdout, r->name, &r->needs);
    puts("");
}

int main(int argc, char **argv)
{
    const way forward = {
        .about = "The ladder: FlashAttention in CUDA, an idea a kernel.\n"
                 "(--backward: its gradients; ./run --backward --help)",
        .example = "./run --q common/data/q.npy --k common/data/k.npy \\\n"
                   "        --v common/data/v.npy --step full "
                   "--out build/O.npy",
        .own_in = ladder_steps,
        .reading =
            widest_here(&ladder[RUNG_full].needs) ? RUNG_full : RUNG_warp_tiles,
        .opening = say_where,
        .tables = table_of_steps,
        .lesson = lesson,
        .next = "make cuda-bugs, then docs/07_cuda.md",
        .csv = table_for_plots,
        .trace = trace_lanes,
    };

    /* Blocks run in any order, and in another one each time. */
    if (asks_backward(argc, argv))
        setenv("CUDA_ON_CPU_SEED", "1", 0);
#ifdef CUDA_ON_CPU
    const char *effort = getenv("CUDA_ON_CPU");

    if (!effort ||
        !*effort) /* for the tables of one problem counts are enough */
        cuda_on_cpu_set_effort(CUDA_COUNT);
#endif
    return attention_program(&forward, &cuda_back, argc, argv);
}
