/*
 * Softmax over the last axis of a file (softmax_program.h).
 *
 * Beside the time of a file, from 32 MB on, is the one that memory alone would
 * need: the array is copied in the same run. A copy reads and writes each
 * element once, which no softmax can do without: that is one core's bound.
 */
#include "common/program/softmax_program.h"

#include "common/judge/reference.h"
#include "common/print/outside.h"
#include "common/print/report.h"
#include "common/program/outputs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { IN_CACHE = 32 << 20 }; /* bytes for which memory sets no bound */

/* The faster of two copies: the first one also gets y's pages. */
static double copy_time(float *y, const float *x, size_t n)
{
    double best = (double)INFINITY;

    for (size_t k = 0; k < 2; k++) {
        double start = stopwatch();

        memcpy(y, x, n * sizeof(*y));
        best = fmin(best, stopwatch() - start);
    }
    return best;
}

static void report_times(const softmax_step *step, const npy_array *x,
                         const counts *c, double seconds, double bound)
{
    size_t n = x->shape[x->dims - 1];
    double size = (double)x->size;
    char shape[NPY_SHAPE_MAX];

    if (x->size == 0) {
        printf("%s: shape %s holds no scores, nothing to compute\n", step->name,
               npy_shape_text(x, shape));
        return;
    }
    printf("%s: %s rows of %s scores, each read %.3g times and written once\n",
           step->name, count_text(x->size / n).text, count_text(n).text,
           (double)c->read[ALGORITHM] / size);
    if (size * sizeof(float) < (double)IN_CACHE) {
        printf("time %s\n", time_text(seconds).text);
        return;
    }
    printf("time %s, %.3g times the bound that memory sets: %s (%s),\nthe "
           "array copied once, timed in this run\n",
           time_text(seconds).text, seconds / bound, time_text(bound).text,
           rate_text(2 * sizeof(float) * size / bound, "B").text);
}

int softmax_files(const softmax_step *step, size_t block, const option o[])
{
    const char *in = o[IN].file, *lse = o[LSE_OUT].file;
    int status = outputs_check(&o[IN], 1, 2);
    npy_array x, y = {0}, L = {0};

    if (status != 0)
        return status;
    if (npy_read(in, &x) != 0)
        return 1;
    if (x.dims == 0) {
        fprintf(stderr, "%s: shape () has no last axis (1 to %d dimensions)\n",
                shown(in).text, NPY_MAX_DIMS);
        status = 2;
    } else {
        status = npy_new(&y, x.dims, x.shape) ||
                 (lse && npy_new(&L, x.dims - 1, x.shape));
    }
    if (status == 0) {
        size_t n = x.shape[x.dims - 1];
        /* With n = 0 the rows are not worth counting, but each has its L. */
        size_t rows = n ? x.size / n : L.data ? L.size : 0;
        double bound = copy_time(y.data, x.data, x.size), start = stopwatch();
        counts c = softmax_rows(step, block, x.data, y.data, L.data, rows, n);

        report_times(step, &x, &c, stopwatch() - start, bound);
        status = outputs_write(&o[OUT], (const npy_array *[]){&y, &L}, 2);
    }
    npy_free(&x);
    npy_free(&y);
    npy_free(&L);
    return status;
}
