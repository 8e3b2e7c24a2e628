/*
 * Naive softmax of six scores, in the kernel's own arithmetic, with every value
 * shown (steps.h).
 */
#include "01_naive_softmax/steps.h"

#include "common/lesson/softmax_lesson.h"
#include "common/print/report.h"

#include <math.h>

int trace_naive_softmax(const softmax_step *only)
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
