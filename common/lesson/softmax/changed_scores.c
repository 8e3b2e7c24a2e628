#include "common/lesson/softmax/softmax_lesson.h"

#include "common/judge/reference.h"
#include "common/lesson/bundled.h"
#include "common/print/report.h"

#include <math.h>

/* Each score x becomes `times` * x + `plus`. In exact arithmetic `plus` does
 * not change the weights. */
static const struct {
    const char *name;
    float times, plus;
} changes[] = {{"as they are", 1, 0},
               {"times 5", 5, 0},
               {"times 20", 20, 0},
               {"minus 100", 1, -100},
               {"minus 200", 1, -200}};

/* Returns the lowest and the highest of n scores as text: "-23.18|15.62". */
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

int print_changed_scores(const char *title, const softmax_step *const steps[])
{
    bool alone = steps[1] == NULL;
    npy_array x, y = {0};
    table t = {0};
    int failed;
    size_t n;

    if (bundled_scores(&x) != 0)
        return 1;
    n = x.shape[3];
    failed = npy_new(&y, x.dims, x.shape);
    heading("%s: %zu rows of %zu%s", title, x.size / n, n,
            alone ? "" : " scores");
    table_row(&t, "scores|%s|rows lost|passes|error of the rest",
              alone ? "lowest|highest" : "step");
    for (size_t k = 0; k < sizeof changes / sizeof *changes && !failed; k++) {
        for (size_t i = 0; i < x.size; i++)
            y.data[i] = x.data[i] * changes[k].times + changes[k].plus;
        for (size_t s = 0; steps[s] && !failed; s++) {
            softmax_verdict v;

            failed = softmax_judge(&v, steps[s], 1, y.data, y.size / n, n);
            table_row(&t, "%s|%s|%zu|%g|%s", changes[k].name,
                      alone ? range_text(y.data, y.size).text : steps[s]->name,
                      v.lost, v.passes, error_text(v.error).text);
        }
    }
    npy_free(&x);
    npy_free(&y);
    if (!failed)
        table_print(&t);
    return failed;
}
