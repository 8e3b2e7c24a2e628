/* Compares naive and safe softmax of real scores. docs/02_safe_softmax.md */
#include "01_naive_softmax/steps.h"
#include "02_safe_softmax/steps.h"

#include "common/exponential.h"
#include "common/lesson/options.h"
#include "common/lesson/softmax/softmax_lesson.h"
#include "common/print/report.h"

static int lesson(void)
{
    static const softmax_step *const steps[] = {chapter_01_steps,
                                                chapter_02_steps, NULL};

    if (print_changed_scores("Q K^T / sqrt(d) of a real layer", steps) != 0)
        return 1;
    puts("\nThe largest exponent is x - m = 0. So the largest e^(x - m) is 1, "
         "and l >= 1:\nno e^(x - m) overflows, and no weight is 0 / 0. "
         "safe_softmax loses no row, but\nneeds a third pass. The error "
         "is that of the worst row, compared with float64.");
    next_step("./run --trace\nthen: make exercise-02");
    return 0;
}

/* Repeats the kernel's arithmetic for six scores. */
static int trace(void)
{
    const float *x = worked_example;
    float y[WORKED], m = -INFINITY, max[WORKED], l = 0;
    softmax_row r = {.n = WORKED, .x = x, .y = y};
    table t = {0};

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

int main(int argc, char **argv)
{
    const char about[] =
        "Chapter 02, safe softmax: subtracts the row's maximum first.";
    lesson_options o;
    int status;

    if (!options_read(&o, about, "trace", argc, argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace());
    return report_end(lesson());
}
