/*
 * One real row in two halves, each with a maximum of its own: their partial
 * outputs, before and after they are rescaled to the common one, and their sum.
 *
 *     make lab-halves
 *
 * Lines: score, key, s | half, which, m, l, factor to the common maximum |
 * output, column, O l of half 0 and of half 1, both rescaled, O, O in float64.
 */
#include <math.h>
#include <stdio.h>

#include "common/judge/reference_attention.h"
#include "common/print/report.h"
#include "docs/lab/diary.h"

/* The same query, with only some of the keys. */
static head with_keys(const head *one, size_t j0, size_t n)
{
    head part = *one;

    part.Nk = n;
    part.K.hbm = block(one->K.hbm, j0, 0, n, one->d);
    part.V.hbm = block(one->V.hbm, j0, 0, n, one->dv);
    return part;
}

static int print_halves(const head *one)
{
    size_t middle = one->Nk / 2;
    head half[2] = {with_keys(one, 0, middle),
                    with_keys(one, middle, one->Nk - middle)};
    diary d[2];
    double want[MOST_COLUMNS], factor[2], l = 0;

    for (int k = 0; k < 2; k++)
        if (diary_write(&d[k], &half[k], half[k].Nk))
            return 1;
    if (reference_attention(one, want, NULL))
        return 1;
    for (size_t j = 0; j < one->Nk; j++)
        printf("score\t%zu\t%.4f\n", j, reference_score(one, 0, j));
    for (int k = 0; k < 2; k++) {
        const row_state *s = &d[k].after[0];
        float m = fmaxf(d[0].after[0].m, d[1].after[0].m);

        factor[k] = exp((double)(s->m - m));
        l += factor[k] * (double)s->l;
        printf("half\t%d\t%.4f\t%.4f\t%.4f\n", k, (double)s->m, (double)s->l,
               factor[k]);
    }
    for (size_t c = 0; c < one->dv; c++) {
        double O[2];

        for (int k = 0; k < 2; k++)
            O[k] = (double)d[k].after[0].O[c] * (double)d[k].after[0].l;
        printf("output\t%zu\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n", c, O[0],
               O[1], factor[0] * O[0], factor[1] * O[1],
               (factor[0] * O[0] + factor[1] * O[1]) / l, want[c]);
    }
    return 0;
}

int main(void)
{
    attention_arrays a;
    head one;
    int failed = diary_row(&a, &one) || print_halves(&one);

    arrays_free(&a);
    return report_end(failed);
}
