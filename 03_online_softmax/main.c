/* Compares online softmax with safe softmax. docs/03_online_softmax.md */
#include "03_online_softmax/precision_loss.h"
#include "03_online_softmax/steps.h"

#include "common/exponential.h"
#include "common/lesson/options.h"
#include "common/lesson/softmax/softmax_lesson.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include <stdio.h>
#include <string.h>

enum { LESSON_BLOCK = 64 };

static int lesson(const softmax_step *only)
{
    const size_t block = LESSON_BLOCK;

    if (print_real_scores(only, block) != 0)
        return 1;
    puts("");
    if (print_long_rows(only, block) != 0)
        return 1;
    puts("");
    prose(
        "The online steps save one pass. online_softmax has nearly the same "
        "error as safe_softmax: rescaling rounds the sum only when the maximum "
        "grows. In rising rows it grows at every score, and the ratio of the "
        "errors is largest. merged_softmax adds up blocks of %zu scores: their "
        "sums are short, and usually more accurate than one long sum.",
        block);
    next_step("./run --trace\nthen: make plot-03\nthen: make exercise-03");
    return 0;
}

enum { BLOCK = 3 };

/* Prints a line for each element i0 .. i1 - 1. Returns the last state. */
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

static const softmax_step *step_named(const char *name)
{
    for (const softmax_step *s = chapter_03_steps; s->name; s++)
        if (strcmp(s->name, name) == 0)
            return s;
    refused(2, "--step",
            "'%s' is not allowed (allowed: online_softmax merged_softmax)",
            shown(name).text);
    return NULL;
}

int main(int argc, char **argv)
{
    const char about[] =
        "Chapter 03, online softmax: maximum and sum in one pass.";
    const softmax_step *only = NULL;
    lesson_options o;
    int status;

    if (!options_read(&o, about, "trace csv step", argc, argv, &status))
        return report_end(status);
    if (o.step) {
        only = step_named(o.step);
        if (!only)
            return 2;
    }
    if (o.trace)
        return report_end(trace(only));
    if (o.csv)
        return report_end(print_precision_loss(LESSON_BLOCK));
    return report_end(lesson(only));
}
