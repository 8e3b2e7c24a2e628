/*
 * The table of changed scores (changed_scores.h).
 */
#include "common/lesson/changed_scores.h"

#include "common/judge/softmax_rows.h"
#include "common/print/report.h"
#include "common/problem/bundled_scores.h"

#include <math.h>

/* "-23.18|15.62": the lowest and the highest of n. */
static words range_text(const float *x, size_t n)
{
    float low = INFINITY, high = -INFINITY;
    words w;

    for (size_t i = 0; i < n; i++) {
        low = fminf(low, x[i]);
        high = fmaxf(high, x[i]);
    }
    snprintf(w.text, sizeof w.text, "%.2f|%.2f", (double)low, (double)high);
    return w;
}

/* A row of the table; x: the changed scores, rows of n. */
static int add_line(table *t, const char *change, const softmax_step *step,
                    bool alone, const npy_array *x)
{
    size_t n = x->shape[3];
    softmax_verdict v;

    if (softmax_judge(&v, step, 1, x->data, x->size / n, n) != 0)
        return 1;
    table_row(t, "%s|%s|%zu|%g|%s", change,
              alone ? range_text(x->data, x->size).text : step->name, v.lost,
              v.passes, error_text(v.error).text);
    return 0;
}

int print_changed_scores(const char *title, const softmax_step *const steps[])
{
    bool alone = steps[1] == NULL;
    npy_array x, y = {0};
    table t = {0};
    int failed;

    if (bundled_scores(&x) != 0)
        return 1;
    failed = npy_new(&y, x.dims, x.shape);
    heading("%s: %zu rows of %zu%s", title, x.size / x.shape[3], x.shape[3],
            alone ? "" : " scores");
    table_row(&t, "scores|%s|rows lost|passes|error of the rest",
              alone ? "lowest|highest" : "step");
    for (size_t k = 0; k < SCORE_CHANGES && !failed; k++) {
        change_scores(score_changes[k], x.data, y.data, x.size);
        for (size_t s = 0; steps[s] && !failed; s++)
            failed = add_line(&t, score_changes[k].name, steps[s], alone, &y);
    }
    npy_free(&x);
    npy_free(&y);
    if (!failed)
        table_print(&t);
    return failed;
}
