/*
 * Chapter 02's program: the rows that chapter 01 lost come out right, for one
 * pass more.
 *
 * docs/02_safe_softmax.md
 */
#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"

#include "common/problem/bundled_scores.h"
#include "common/lesson/cliffs.h"
#include "common/exp_minus.h"
#include "common/print/report.h"
#include "common/program/softmax_program.h"
#include "common/judge/softmax_rows.h"
#include "common/lesson/worked_example.h"

#include <stdio.h>

static int show_step(table *t, const softmax_step *step, const npy_array *x,
                     float *y, score_change c)
{
    size_t n = x->shape[3];
    softmax_verdict v;

    change_scores(c, x->data, y, x->size);
    if (softmax_judge(&v, step, 1, y, x->size / n, n) != 0)
        return 1;
    table_row(t, "%s|%s|%zu|%g|%s", c.name, step->name, v.lost, v.passes,
              error_text(v.error).text);
    return 0;
}

static int show_scores(const npy_array *x, float *y)
{
    table t = {0};

    heading("Q K^T / sqrt(d) of a real layer: %zu rows of %zu scores",
            x->size / x->shape[3], x->shape[3]);
    table_row(&t, "scores|step|rows lost|passes|error of the rest");
    for (size_t k = 0; k < SCORE_CHANGES; k++)
        if (show_step(&t, chapter_01_steps, x, y, score_changes[k]) ||
            show_step(&t, chapter_02_steps, x, y, score_changes[k]))
            return 1;
    table_print(&t);
    return 0;
}

static int lesson(const softmax_step *only, size_t block)
{
    npy_array x, y = {0};
    int failed;

    (void)only, (void)block;
    if (bundled_scores(&x) != 0)
        return 1;
    failed = npy_new(&y, x.dims, x.shape) || show_scores(&x, y.data);
    npy_free(&x);
    npy_free(&y);
    if (failed)
        return 1;
    puts("\nThe largest exponent is x - m = 0, so the largest e^(x - m) is 1 "
         "and l >= 1:\nnothing overflows, nothing is 0 / 0. No row is lost; "
         "the price is a third pass.\nThe error is the worst row's, against "
         "float64.");
    next_step("./run --trace, then make exercise-02");
    return 0;
}

/* What the kernel does, in its own arithmetic, with every value shown. */
static int trace(const softmax_step *only)
{
    const float *x = worked_example;
    float y[WORKED], m = -INFINITY, max[WORKED], l = 0;
    softmax_row r = {.n = WORKED, .x = x, .y = y};
    table t = {0};

    (void)only;
    safe_softmax(&r);
    for (size_t i = 0; i < WORKED; i++)
        max[i] = m = fmaxf(m, x[i]);
    heading("safe_softmax, pass by pass");
    table_row(&t, "i|x|1: max so far|2: e^(x - m)|l, the sum so far|3: y");
    for (size_t i = 0; i < WORKED; i++) {
        float e = exp_minus(x[i], m);

        l += e;
        table_row(&t, "%zu|%.1f|%.1f|%.5f|%.5f|%.5f", i + 1, (double)x[i],
                  (double)max[i], (double)e, (double)l, (double)y[i]);
    }
    table_print(&t);
    printf("m = %.1f, l = %.5f, L = m + ln l = %.5f\n", (double)m, (double)l,
           (double)r.L);
    next_step("make exercise-02");
    return 0;
}

static int csv(void)
{
    puts("kind,softmax,format,x,error");
    print_near("naive_softmax", naive_softmax_in);
    print_near("safe_softmax", safe_softmax_in);
    return 0;
}

int main(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .about = "Chapter 02, safe softmax: the row's maximum is subtracted "
                 "first.",
        .example = "./run --in common/data/q.npy --out build/y.npy --lse "
                   "build/l.npy",
        .steps = chapter_02_steps,
        .lesson = lesson,
        .trace = trace,
        .csv = csv,
    };

    return softmax_program(&chapter, argc, argv);
}
