/*
 * One real row's running state, after each tile of 16 keys: m, l, and how far O
 * is from the attention over the keys so far.
 *
 *     make lab-row
 *
 * Lines: score, key, s | tile, first key, keys, m, l before, that times alpha,
 * l after, error of O against float64 of the keys so far.
 */
#include <math.h>
#include <stdio.h>

#include "common/judge/reference_attention.h"
#include "common/print/report.h"
#include "docs/lab/diary.h"

enum { TILE = 16 };

/* ||O - reference|| / ||reference|| for the first `keys` keys. */
static double error_after(const head *one, const row_state *s, size_t keys)
{
    head so_far = *one;
    double want[MOST_COLUMNS], square = 0, norm = 0;

    so_far.Nk = keys;
    if (reference_attention(&so_far, want, NULL))
        return (double)NAN;
    for (size_t c = 0; c < one->dv; c++) {
        double e = (double)s->O[c] - want[c];

        square += e * e;
        norm += want[c] * want[c];
    }
    return sqrt(square / norm);
}

static int print_tiles(head one)
{
    diary d;
    row_state before = {-INFINITY, 0, {0}};

    if (diary_write(&d, &one, TILE))
        return 1;
    for (size_t j = 0; j < one.Nk; j++)
        printf("score\t%zu\t%.4f\n", j, reference_score(&one, 0, j));
    for (size_t n = 0; n < d.n; n++) {
        const row_state *now = &d.after[n];
        size_t keys = min_size(TILE, one.Nk - n * TILE);

        printf("tile\t%zu\t%zu\t%.4f\t%.5f\t%.5f\t%.5f\t%.1e\n", n * TILE, keys,
               (double)now->m, (double)before.l,
               (double)(before.l * expf(before.m - now->m)), (double)now->l,
               error_after(&one, now, n * TILE + keys));
        before = *now;
    }
    return 0;
}

int main(void)
{
    attention_arrays a;
    head one;
    int failed = diary_row(&a, &one) || print_tiles(one);

    arrays_free(&a);
    return report_end(failed);
}
