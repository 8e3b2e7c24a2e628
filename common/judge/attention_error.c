/*
 * The oracle over all heads, and the error against it (attention_error.h).
 */
#include "common/judge/attention_error.h"

#include "common/judge/reference_attention.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* Multiply-adds that the oracle may spend: a fraction of a second. */
static const double budget = 1 << 27;

/* Odd, so that a sample of many heads does not meet the same rows in each. */
static size_t sampled_every(const layer *p, size_t rows)
{
    double row = (double)p->each.Nk * (double)(p->each.d + p->each.dv);
    double every = ceil((double)rows * row / budget);

    if (every <= 1)
        return 1;
    return min_size(rows, (size_t)every | 1);
}

int truth_of(const layer *p, attention_truth *truth)
{
    size_t rows = heads_of(p) * p->each.Nq, every = sampled_every(p, rows),
           known;
    int failed = 0;

    known = tiles(rows, every);
    *truth = (attention_truth){rows, every, NULL};
    truth->O = calloc(known * p->each.dv + 1, sizeof *truth->O);
    failed = truth->O == NULL;
    for (size_t k = 0; k < known && !failed; k++) {
        size_t at = k * every;
        head all = head_at(p, at / p->each.Nq);
        head one = head_of_queries(&all, at % p->each.Nq, 1);

        failed = reference_attention(&one, truth->O + k * p->each.dv, NULL);
    }
    if (failed) {
        fprintf(stderr, "float64: out of memory for %zu rows of %zu\n", known,
                p->each.dv);
        truth_free(truth);
    }
    return failed;
}

void truth_free(attention_truth *truth)
{
    free(truth->O);
    truth->O = NULL;
}

static bool alike(double got, double want)
{
    return got == want || (isnan(got) && isnan(want));
}

double error_of(const layer *p, const attention_truth *truth)
{
    size_t known = tiles(truth->rows, truth->every);
    double square = 0, norm = 0;

    for (size_t k = 0; k < known; k++)
        for (size_t c = 0; c < p->each.dv; c++) {
            double got =
                (double)p->each.O.hbm.data[k * truth->every * p->each.dv + c];
            double want = truth->O[k * p->each.dv + c];

            if (isfinite(want))
                norm += want * want;
            if (!alike(got, want))
                square += (got - want) * (got - want);
        }
    return square == 0 ? 0 : sqrt(square / norm);
}
