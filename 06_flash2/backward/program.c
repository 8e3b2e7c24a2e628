/*
 * What `./run --backward` of chapter 06 tells: what L saves, and what it costs
 * and brings to let no gradient travel. docs/backward.md
 */
#include "06_flash2/backward/program.h"

#include "05_flash1/backward/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/lesson/toy.h"
#include "common/print/report.h"

/* The traffic of one kernel over another's. */
static double over(const measurement m[], backward_fn *a, backward_fn *b)
{
    return (double)counts_moved(backward_measured(m, a)->counted) /
           (double)counts_moved(backward_measured(m, b)->counted);
}

static int lesson(const layer *l, size_t M, const measurement m[])
{
    (void)l;
    (void)M;
    prose("One number a row, L, in place of m and l: no division is left, and "
          "O, which was only needed for D, stays away from the loops. So "
          "flash2_backward moves %.1f%% of what flash1_backward moves, %.1f%% "
          "of standard_backward's.",
          100 * over(m, flash2_backward, flash1_backward),
          100 * over(m, flash2_backward, standard_backward));
    prose(
        "dQ still travels. two_kernel_backward makes dQ first and then dK and "
        "dV, each in the loops in which it can stay on chip: %.1f%% of "
        "flash1_backward's traffic, for seven products in place of five "
        "(14 N^2 d FLOPs, forward 4). And its blocks share nothing, so that "
        "flash2_backward_parallel is the same bit for bit.",
        100 * over(m, two_kernel_backward, flash1_backward));
    return 0;
}

typedef struct {
    const gradients *g;
    table lines;
} stores;

static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    stores *s = watcher;
    const float *to = a.hbm.data;
    const char *name = to == s->g->dQ.hbm.data   ? "dQ"
                       : to == s->g->dK.hbm.data ? "dK"
                       : to == s->g->dV.hbm.data ? "dV"
                                                 : "D";

    for (size_t i = 0; stored && i < tile.rows; i++)
        table_row(&s->lines, "%s|%zu|%s", name, i0 + i,
                  numbers_text(row(tile, i), tile.cols).text);
}

/* In which order the kernel stores what. */
static int print_stores(backward_toy *t, backward_fn *kernel)
{
    stores s = {.g = &t->g};

    table_row(&s.lines, "stored|row|");
    if (backward_toy_run(t, kernel, watch, &s))
        return 1;
    table_print(&s.lines);
    return 0;
}

static int trace(void)
{
    backward_toy t;
    int status = backward_toy_begin(&t, &chapter_06_steps[1]);

    if (status != 0)
        return status;
    heading("FlashAttention-2, keys outside: dQ travels");
    status = backward_toy_trace(&t, flash2_backward);
    if (status != 0)
        return status;
    puts("\np = e^(s - L), made again. dp = dO . v is what a weight is worth, "
         "D their\nmean: ds = p (dp - D). dq is what lies in HBM after the "
         "visit.\n");
    heading("Two kernels: each row is stored once, when it is done");
    status = print_stores(&t, two_kernel_backward);
    puts("");
    next_step("./run --backward, the same on real data");
    return status;
}

static const attention_step *const before[] = {&chapter_05_backward[0],
                                               &chapter_05_backward[1], NULL};

const way flash2_back = {
    .about = "The backward pass: the gradients of Q, K and V from that of O.",
    .example = "./run --backward --q common/data/q.npy \\\n"
               "        --k common/data/k.npy --v common/data/v.npy "
               "--grad-q build/dQ.npy",
    .before = before,
    .own = chapter_06_backward,
    .reading = 1, /* two_kernel_backward */
    .lesson = lesson,
    .trace = trace,
    .next = "./run --backward --trace, then docs/backward.md",
};
