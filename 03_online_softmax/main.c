/*
 * Chapter 03's program: two passes in place of three, and what that costs.
 *
 * docs/03_online_softmax.md
 */
#include "03_online_softmax/precision_loss.h"
#include "03_online_softmax/steps.h"

#include "common/problem/bundled.h"
#include "common/print/report.h"
#include "common/program/softmax_program.h"
#include "common/judge/reference.h"

#include <stdio.h>

static int show_real_scores(const softmax_step *only, size_t block)
{
    table t = {0};
    npy_array x;
    int failed = 0;

    if (bundled_scores(&x) != 0)
        return 1;

    size_t n = x.shape[3], rows = x.size / n;

    heading("Q K^T / sqrt(d) of a real layer: %zu rows of %zu scores", rows, n);
    table_row(&t, "step|passes|rows lost|worst error");
    for (size_t s = 0; s < COMPARED; s++) {
        softmax_verdict v;

        if (!is_shown(compared_steps[s], only))
            continue;
        failed = softmax_judge(&v, compared_steps[s], block, x.data, rows, n);
        if (failed)
            break;
        table_row(&t, "%s|%g|%zu|%s", compared_steps[s]->name, v.passes, v.lost,
                  error_text(v.error).text);
    }
    npy_free(&x);
    if (!failed)
        table_print(&t);
    return failed;
}

static int lesson(const softmax_step *only, size_t block)
{
    if (show_real_scores(only, block) != 0)
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
        .trace = trace_online_softmax,
        .csv = csv,
    };

    return softmax_program(&chapter, argc, argv);
}
