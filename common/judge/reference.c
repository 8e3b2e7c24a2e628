#include "common/judge/reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

/* Returns e^{x - m}, or 0 if x is -inf, because x - m can be NaN. */
static double weight(float x, double m)
{
    return x == -INFINITY ? 0 : exp((double)x - m);
}

/* Uses a compensated sum, whose error is a few ulps for any length of the row.
 * A. Neumaier, ZAMM 54 (1974), 39-51. */
void reference_softmax(const float *x, double *y, size_t n, double *L)
{
    double m = -HUGE_VAL, l = 0, lost = 0;

    for (size_t i = 0; i < n; i++)
        m = fmax(m, (double)x[i]);
    for (size_t i = 0; i < n; i++) {
        double w = weight(x[i], m), sum = l + w;

        lost += l >= w ? (l - sum) + w : (w - sum) + l;
        l = sum;
    }
    l += isfinite(l) ? lost : 0;

    for (size_t i = 0; i < n; i++)
        y[i] = l == 0 ? 0 : weight(x[i], m) / l;
    if (L)
        *L = m + log(l);
}

size_t softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n)
{
    softmax_row r = {.n = n, .block = block};

    for (size_t i = 0; i < rows; i++) {
        r.x = x + i * n;
        r.y = y + i * n;
        step->run(&r);
        if (L)
            L[i] = r.L;
    }
    return r.read;
}

int softmax_judge(softmax_verdict *v, const softmax_step *step, size_t block,
                  const float *x, size_t rows, size_t n)
{
    float *y = calloc(n + 1, sizeof *y);
    double *want = calloc(n + 1, sizeof *want), read = 0, error;
    bool failed = !y || !want;

    *v = (softmax_verdict){.lost = 0};
    if (failed)
        fprintf(stderr, "softmax: no memory for a row of %zu\n", n);
    for (size_t i = 0; i < rows && !failed; i++, x += n) {
        read += (double)softmax_rows(step, block, x, y, NULL, 1, n);
        reference_softmax(x, want, n, NULL);
        error = relative_error(y, want, n);
        if (isfinite(error))
            v->error = fmax(v->error, error);
        else
            v->lost++;
    }
    v->passes = rows && n ? read / ((double)rows * (double)n) : 0;
    if (v->lost == rows)
        v->error = (double)NAN;
    free(y);
    free(want);
    return failed;
}
