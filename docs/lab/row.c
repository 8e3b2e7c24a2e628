/*
 * Prints the scores and states of one row in flash1 (pictures.h): query 46 of
 * head 3 of the bundled layer. Three keys after the first raise the maximum by
 * more than 0.5.
 */
#include <math.h>
#include <stdio.h>

#include "05_flash1/steps.h"
#include "common/judge/reference_attention.h"
#include "docs/lab/pictures.h"

enum { HEAD = 3, QUERY = 46, TILE = 16, MOST_COLUMNS = 64 };

/* m, l and O by flash1, and O in float64, after some of the row's keys. */
typedef struct {
    float m, l, O[MOST_COLUMNS];
    double want[MOST_COLUMNS];
} row_state;

/* Computes the state for the n keys from j0, in tiles of Bc keys. Returns 0, or
 * another number after one line on stderr. */
static int attend(const head *one, size_t j0, size_t n, size_t Bc, row_state *s)
{
    head h = *one;
    memory mem;

    h.Nk = n;
    h.K = rows_of(one->K, span_of(j0, n));
    h.V = rows_of(one->V, span_of(j0, n));
    h.O = hbm_of(s->O, 1, h.dv);
    h.m = hbm_of(&s->m, 1, 1);
    h.l = hbm_of(&s->l, 1, 1);
    h.tile.Br = 1;
    h.tile.Bc = Bc;
    return watched(&chapter_05_steps[0], &h, MEMORY_UNBOUNDED, NULL, NULL,
                   &mem) ||
           reference_attention(&h, s->want, NULL);
}

/* Returns the row as a head. Prints a line for each key: score, key, s. */
static head the_row(const layer *bundled)
{
    head whole = head_at(bundled, HEAD);
    head row = head_of_queries(&whole, one(QUERY));

    for (size_t j = 0; j < row.Nk; j++)
        printf("score\t%zu\t%.4f\n", j, reference_score(&row, 0, j));
    return row;
}

/* Prints the scores, and the running state in a line for each tile: tile, first
 * key, number of keys, m after the tile, l before the tile, that l times alpha,
 * l after the tile. */
int print_row(const layer *bundled, const char *word)
{
    head one = the_row(bundled);
    row_state before = {.m = -INFINITY}, now;

    (void)word;
    for (size_t j0 = 0; j0 < one.Nk; j0 += TILE, before = now) {
        size_t keys = min_size(TILE, one.Nk - j0);

        if (attend(&one, 0, j0 + keys, TILE, &now))
            return 1;
        printf("tile\t%zu\t%zu\t%.4f\t%.5f\t%.5f\t%.5f\n", j0, keys,
               (double)now.m, (double)before.l,
               (double)(before.l * expf(before.m - now.m)), (double)now.l);
    }
    return 0;
}

/* Prints the scores, and the states of the first and the second half of the
 * keys. A line "half" has: half, 0 or 1, m, l, the factor that rescales to the
 * common maximum. A line "output" has: output, column, O l of half 0, O l of
 * half 1, the rescaled O l of half 0 and of half 1, O, O in float64. */
int print_halves(const layer *bundled, const char *word)
{
    head one = the_row(bundled);
    size_t middle = one.Nk / 2;
    row_state half[2], whole;
    double factor[2], l = 0;

    (void)word;
    if (attend(&one, 0, middle, middle, &half[0]) ||
        attend(&one, middle, one.Nk - middle, one.Nk - middle, &half[1]) ||
        attend(&one, 0, one.Nk, one.Nk, &whole))
        return 1;
    for (int k = 0; k < 2; k++) {
        factor[k] = exp((double)(half[k].m - fmaxf(half[0].m, half[1].m)));
        l += factor[k] * (double)half[k].l;
        printf("half\t%d\t%.4f\t%.4f\t%.4f\n", k, (double)half[k].m,
               (double)half[k].l, factor[k]);
    }
    for (size_t c = 0; c < one.dv; c++) {
        double O[2];

        for (int k = 0; k < 2; k++)
            O[k] = (double)half[k].O[c] * (double)half[k].l;
        printf("output\t%zu\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\t%.5f\n", c, O[0],
               O[1], factor[0] * O[0], factor[1] * O[1],
               (factor[0] * O[0] + factor[1] * O[1]) / l, whole.want[c]);
    }
    return 0;
}
