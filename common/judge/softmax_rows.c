/*
 * Running and judging a softmax step row by row (softmax_rows.h).
 */
#include "common/judge/softmax_rows.h"

#include "common/judge/reference.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

counts softmax_rows(const softmax_step *step, size_t block, const float *x,
                    float *y, float *L, size_t rows, size_t n)
{
    counts sum = {.exps = 0};

    for (size_t i = 0; i < rows; i++) {
        softmax_row r = {.n = n,
                         .x = x + i * n,
                         .y = y + i * n,
                         .block = block,
                         .type = step->type};

        step->run(&r);
        counts_add(&sum, &r.counts);
        if (L)
            L[i] = r.L;
    }
    return sum;
}

static bool is_lost(const float *y, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (!isfinite(y[i]))
            return true;
    return false;
}

int softmax_judge(softmax_verdict *verdict, const softmax_step *step,
                  size_t block, const float *x, size_t rows, size_t n)
{
    float *y = malloc((n + 1) * sizeof(*y));
    double *want = malloc((n + 1) * sizeof(*want));
    softmax_verdict v = {.rows = rows};
    size_t read = 0;

    if (!y || !want) {
        fprintf(stderr, "softmax: no memory for a row of %zu\n", n);
        free(y);
        free(want);
        return 1;
    }
    for (size_t i = 0; i < rows; i++) {
        const float *score = x + i * n;
        counts c = softmax_rows(step, block, score, y, NULL, 1, n);

        read += c.read[ALGORITHM];
        if (is_lost(y, n)) {
            v.lost++;
            continue;
        }
        reference_softmax(score, want, n, NULL);
        v.error = fmax(v.error, relative_error(y, want, n));
    }
    v.passes = rows && n ? (double)read / ((double)rows * (double)n) : 0;
    if (v.lost == rows)
        v.error = (double)NAN;
    *verdict = v;
    free(y);
    free(want);
    return 0;
}
