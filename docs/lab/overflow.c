/*
 * Where fp16 overflows, on real scores: which share of the rows of the bundled
 * layer a softmax loses, computed and stored in fp16, by what the scores are
 * multiplied with. 1 is the layer's own 1 / sqrt(32); leaving the scale out is
 * a factor of sqrt(32) = 5.66.
 *
 *     make lab-overflow
 *
 * Lines: step, format, factor, rows with a NaN or an infinity, rows.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/problem/bundled.h"
#include "common/lesson/softmax_lesson.h"
#include "common/print/report.h"

typedef struct {
    const char *name;
    softmax_in *softmax;
} softmax;

/* Is a weight of the row NaN or infinite? x, y: room for n. */
static bool is_lost(softmax_in *run, const float_format *f, const float *s,
                    size_t n, double factor, double *x, double *y)
{
    for (size_t j = 0; j < n; j++)
        x[j] = round_in(f, factor * (double)s[j]); /* stored: may be infinite */
    run(f, x, y, n);
    for (size_t j = 0; j < n; j++)
        if (!isfinite(y[j]))
            return true;
    return false;
}

static void print_line(const softmax *step, const float_format *f,
                       const npy_array *scores, double factor, double *x)
{
    size_t n = scores->shape[3], rows = scores->size / n, lost = 0;

    for (size_t i = 0; i < rows; i++)
        lost += is_lost(step->softmax, f, scores->data + i * n, n, factor, x,
                        x + n);
    printf("%s\t%s\t%.4g\t%zu\t%zu\n", step->name, f->name, factor, lost, rows);
}

int main(void)
{
    static const softmax steps[] = {{"naive_softmax", naive_softmax_in},
                                    {"safe_softmax", safe_softmax_in}};
    static const size_t fp16 = 0, fp32 = 1; /* of formats[] */
    npy_array scores;
    double *x;

    if (bundled_scores(&scores))
        return 1;
    x = malloc(2 * scores.shape[3] * sizeof *x);
    printf("step\tformat\tfactor\tlost\trows\n");
    for (int e = -4; x && e <= 28; e++) { /* half octaves, 1/4 to 16384 */
        double factor = pow(2, e / 2.0);

        progress("factor %g", factor);
        print_line(&steps[0], &formats[fp16], &scores, factor, x);
        print_line(&steps[0], &formats[fp32], &scores, factor, x);
        print_line(&steps[1], &formats[fp16], &scores, factor, x);
    }
    for (size_t k = 0; x && k < 2; k++) /* the scale left out */
        print_line(&steps[k], &formats[fp16], &scores, sqrt(32), x);
    progress_done();
    free(x);
    npy_free(&scores);
    return report_end(!x);
}
