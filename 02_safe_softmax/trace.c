/*
 * Safe softmax of six scores, in the kernel's own arithmetic, with every value
 * shown (steps.h).
 */
#include "02_safe_softmax/steps.h"

#include "common/exp_minus.h"
#include "common/lesson/softmax_lesson.h"
#include "common/print/report.h"

int trace_safe_softmax(const softmax_step *only)
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
