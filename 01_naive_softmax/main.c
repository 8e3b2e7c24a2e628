/*
 * Chapter 01's program: how fast e^x grows, and what that does to real scores.
 *
 * docs/01_naive_softmax.md
 */
#include "01_naive_softmax/steps.h"

#include "common/problem/bundled_scores.h"
#include "common/lesson/cliffs.h"
#include "common/print/report.h"
#include "common/program/softmax_program.h"
#include "common/judge/softmax_rows.h"
#include "common/lesson/worked_example.h"

#include <math.h>
#include <stdio.h>

static void show_growth(void)
{
    table t = {0};

    heading("e^x grows until it no longer fits, and shrinks until it is 0");
    printf("e^0.5 = %.4f, e^1 = %.4f, e^10 = %.2f. Found by bisection:\n",
           exp(0.5), exp(1), exp(10));
    table_row(&t, "format|e^x is infinite above|e^x is 0 below");
    for (size_t k = 0; k < FORMATS; k++)
        table_row(&t, "%s|%.2f|%.2f", formats[k].name,
                  overflow_of(naive_softmax_in, &formats[k], 1),
                  underflow_of(naive_softmax_in, &formats[k], 1));
    table_print(&t);
}

/* The kernel on the scores x, changed; y is room for them. */
static int show_change(table *t, const npy_array *x, float *y, score_change c)
{
    size_t n = x->shape[3];
    float low = INFINITY, high = -INFINITY;
    softmax_verdict v;

    change_scores(c, x->data, y, x->size);
    for (size_t i = 0; i < x->size; i++) {
        low = fminf(low, y[i]);
        high = fmaxf(high, y[i]);
    }
    if (softmax_judge(&v, chapter_01_steps, 1, y, x->size / n, n) != 0)
        return 1;
    table_row(t, "%s|%.2f|%.2f|%zu|%g|%s", c.name, (double)low, (double)high,
              v.lost, v.passes, error_text(v.error).text);
    return 0;
}

static int show_scores(const npy_array *x, float *y)
{
    table t = {0};

    heading("naive_softmax of real scores, Q K^T / sqrt(d): %zu rows of %zu",
            x->size / x->shape[3], x->shape[3]);
    table_row(&t, "scores|lowest|highest|rows lost|passes|error of the rest");
    for (size_t k = 0; k < SCORE_CHANGES; k++)
        if (show_change(&t, x, y, score_changes[k]) != 0)
            return 1;
    table_print(&t);
    return 0;
}

static int lesson(const softmax_step *only, size_t block)
{
    const float_format *fp32 = &formats[1];
    npy_array x, y = {0};
    int failed;

    (void)only, (void)block;
    if (bundled_scores(&x) != 0)
        return 1;
    show_growth();
    puts("");
    failed = npy_new(&y, x.dims, x.shape) || show_scores(&x, y.data);
    npy_free(&x);
    npy_free(&y);
    if (failed)
        return 1;
    printf("\nA lost row is NaN: inf / inf above %.2f, 0 / 0 below %.2f. But "
           "softmax only\ncompares scores: minus 200 should have changed "
           "nothing.\n",
           overflow_of(naive_softmax_in, fp32, 1),
           underflow_of(naive_softmax_in, fp32, 1));
    next_step("./run --trace, then make exercise-01");
    return 0;
}

/* What the kernel does, in its own arithmetic, with every value shown. */
static int trace(const softmax_step *only)
{
    float y[WORKED], l = 0;
    softmax_row r = {.n = WORKED, .x = worked_example, .y = y};
    table t = {0};

    (void)only;
    naive_softmax(&r);
    heading("naive_softmax, element by element");
    table_row(&t, "i|x|e^x|l, the sum so far|y = e^x / l at the end");
    for (size_t i = 0; i < WORKED; i++) {
        float e = expf(worked_example[i]);

        l += e;
        table_row(&t, "%zu|%.1f|%.5f|%.5f|%.5f", i + 1,
                  (double)worked_example[i], (double)e, (double)l,
                  (double)y[i]);
    }
    table_print(&t);
    printf("L = ln l = %.5f\n", (double)r.L);
    next_step("make exercise-01");
    return 0;
}

static int csv(void)
{
    puts("kind,softmax,format,x,y"); /* y: the error, or n (cliffs.h) */
    print_near("naive_softmax", naive_softmax_in);
    print_cliffs("naive_softmax", naive_softmax_in);
    return 0;
}

int main(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .about = "Chapter 01, naive softmax: e^x / sum e^x, and where it "
                 "breaks.",
        .example = "./run --in common/data/q.npy --out build/y.npy",
        .steps = chapter_01_steps,
        .lesson = lesson,
        .trace = trace,
        .csv = csv,
    };

    return softmax_program(&chapter, argc, argv);
}
