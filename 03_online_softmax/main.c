/*
 * Chapter 03's program: two passes in place of three, and what that costs.
 *
 * docs/03_online_softmax.md
 */
#include "03_online_softmax/precision_loss.h"
#include "03_online_softmax/steps.h"

#include "common/exp_minus.h"
#include "common/lesson/softmax_lesson.h"
#include "common/print/report.h"
#include "common/program/softmax_program.h"

#include <stdio.h>

static int lesson(const softmax_step *only, size_t block)
{
    if (print_real_scores(only, block) != 0)
        return 1;
    puts("");
    if (print_long_rows(only, block) != 0)
        return 1;
    printf("\nOne pass fewer, and hardly a digit: what the online update "
           "rescales is rounded\nonly when the maximum grows. In rising rows "
           "it always does: there the two differ\nmost. In blocks (of %zu) "
           "the sums are short, and come out better than in one.\n",
           block);
    next_step("./run --trace, then make plot-03, then make exercise-03");
    return 0;
}

/* --- By hand: the states are made by the kernels' own arithmetic ----------- */

enum { BLOCK = 3 };

/* Elements i0 .. i1 - 1, one after another; gives the state after the last. */
static softmax_state trace_elements(size_t i0, size_t i1)
{
    softmax_state before = {-INFINITY, 0}, now = before;
    table t = {0};

    table_row(&t, "i|x|m|alpha = e^(m before - m)|e^(x - m)|"
                  "l = alpha l + e^(x - m)");
    for (size_t i = i0; i < i1; i++) {
        float x = worked_example[i];

        now = merge(before, (softmax_state){x, 1});
        table_row(&t, "%zu|%.1f|%.1f|%.5f|%.5f|%.5f", i + 1, (double)x,
                  (double)now.m, (double)exp_minus(before.m, now.m),
                  (double)exp_minus(x, now.m), (double)now.l);
        before = now;
    }
    table_print(&t);
    return now;
}

static void print_weights(softmax_fn *run)
{
    float y[WORKED];
    softmax_row r = {.n = WORKED, .x = worked_example, .y = y, .block = BLOCK};

    run(&r);
    printf("y = e^(x - m) / l =");
    for (size_t i = 0; i < WORKED; i++)
        printf(" %.5f", (double)y[i]);
    printf(", L = %.5f\n", (double)r.L);
}

static void trace_online(void)
{
    heading("online_softmax, element by element");
    trace_elements(0, WORKED);
    print_weights(online_softmax);
}

static void trace_merged(void)
{
    softmax_state one, two, all;

    heading("merged_softmax: block 1");
    one = trace_elements(0, BLOCK);
    heading("block 2");
    two = trace_elements(BLOCK, WORKED);
    all = merge(one, two);
    heading("both blocks: (%.1f, %.5f) + (%.1f, %.5f)", (double)one.m,
            (double)one.l, (double)two.m, (double)two.l);
    printf("m = max(%.1f, %.1f) = %.1f\n", (double)one.m, (double)two.m,
           (double)all.m);
    printf("l = e^(%.1f - %.1f) %.5f + e^(%.1f - %.1f) %.5f = %.5f\n",
           (double)one.m, (double)all.m, (double)one.l, (double)two.m,
           (double)all.m, (double)two.l, (double)all.l);
    print_weights(merged_softmax);
}

static int trace(const softmax_step *only)
{
    if (!only || only->run == online_softmax)
        trace_online();
    if (!only)
        puts("");
    if (!only || only->run == merged_softmax)
        trace_merged();
    next_step("make exercise-03");
    return 0;
}

/* --- The program ----------------------------------------------------------- */

static int csv(void)
{
    return print_precision_loss(64);
}

int main(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .about = "Chapter 03, online softmax: maximum and sum in one pass.",
        .example = "./run --in common/data/q.npy --out build/y.npy --step "
                   "online_softmax",
        .steps = chapter_03_steps,
        .in_blocks = "merged_softmax",
        .lesson = lesson,
        .trace = trace,
        .csv = csv,
    };

    return softmax_program(&chapter, argc, argv);
}
