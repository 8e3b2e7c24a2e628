/* Shows where naive softmax fails. docs/01_naive_softmax.md */
#include "01_naive_softmax/steps.h"

#include "common/judge/reference.h"
#include "common/lesson/softmax/formats.h"
#include "common/lesson/options.h"
#include "common/lesson/softmax/softmax_lesson.h"
#include "common/print/report.h"

#include <math.h>

static double overflow_in(const float_format *f)
{
    return last_right(naive_softmax_in, f, 1, FARTHEST);
}

static double underflow_in(const float_format *f)
{
    return last_right(naive_softmax_in, f, 1, -FARTHEST);
}

static int lesson(void)
{
    enum { N = 100 };
    static const softmax_step *const naive[] = {chapter_01_steps, NULL};
    float x[N], y[N], L;
    table t = {0};

    heading("e^x is infinite for a large x, and 0 for a very negative x");
    printf("e^0.5 = %.4f, e^1 = %.4f, e^10 = %.2f. Bisection finds these "
           "limits:\n",
           exp(0.5), exp(1), exp(10));
    table_row(&t, "format|e^x is infinite above|e^x is 0 below");
    for (const float_format *f = formats; f < formats + FORMATS; f++)
        table_row(&t, "%s|%.2f|%.2f", f->name, overflow_in(f), underflow_in(f));
    table_print(&t);
    puts("");
    if (print_changed_scores("naive_softmax of real scores, Q K^T / sqrt(d)",
                             naive) != 0)
        return 1;
    puts("");
    prose("A lost row has a NaN: inf / inf if a score is above %.2f, 0 / 0 if "
          "all scores are below %.2f. But softmax depends only on differences "
          "of scores, so subtracting 200 from all scores should not change it.",
          overflow_in(&formats[1]), underflow_in(&formats[1]));
    for (size_t i = 0; i < N; i++)
        x[i] = 86;
    softmax_rows(chapter_01_steps, 1, x, y, &L, 1, N);
    prose("A result without NaN can still be wrong: for %d scores of %g no e^x "
          "overflows, but their sum does. Each weight is then %g, not %g, and "
          "L is %g.",
          N, (double)x[0], (double)y[0], 1 / (double)N, (double)L);
    next_step("./run --trace\nthen: make exercise-01");
    return 0;
}

/* Repeats the kernel's arithmetic for six scores. */
static int trace(void)
{
    float y[WORKED], l = 0;
    softmax_row r = {.n = WORKED, .x = worked_example, .y = y};
    table t = {0};

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
    const int points = 400;

    puts("kind,softmax,format,x,y"); /* y: the largest relative error */
    for (const float_format *f = formats; f < formats + FORMATS; f++)
        for (int p = 0; p <= points; p++) {
            /* Equal steps of asinh x give both signs, and more x near 0. */
            double x = sinh(asinh(FARTHEST) * (2.0 * p / points - 1));
            double error = error_near(naive_softmax_in, f, x);

            printf("near,naive_softmax,%s,%.6g,%.3g\n", f->name, x,
                   isnan(error) ? error : fmax(error, 0x1p-54));
        }
    return 0;
}

int main(int argc, char **argv)
{
    const char about[] =
        "Chapter 01, naive softmax: e^x / sum e^x, and where it fails.";
    lesson_options o;
    int status;

    if (!options_read(&o, about, "trace csv", argc, argv, &status))
        return report_end(status);
    if (o.trace)
        return report_end(trace());
    if (o.csv)
        return report_end(csv());
    return report_end(lesson());
}
