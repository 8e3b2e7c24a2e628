/*
 * One real row followed through FlashAttention: a query of the bundled layer
 * and its 251 keys, in tiles of 16, then in two halves. What is printed is what
 * flash1 itself stores to HBM after each tile: m, l and O.
 *
 *     build/docs/lab/row [HEAD QUERY] > docs/results/row.tsv
 *
 * Lines: score, key, s | tile, first key, keys, m, l before, that times alpha,
 * l after, error of O against float64 of the keys so far | half, which, m, l,
 * factor to the common maximum | output, column, O l of half 0 and of half 1,
 * both rescaled, O, O in float64.
 */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "05_flash1/steps.h"
#include "common/attention_arrays.h"
#include "common/reference_attention.h"
#include "common/report.h"

enum { TILE = 16, MOST_TILES = 32, MOST_COLUMNS = 64 };

/* The row's state after a tile. */
typedef struct {
    float m, l, O[MOST_COLUMNS];
} row_state;

typedef struct {
    const head *h;
    row_state after[MOST_TILES];
    size_t n;   /* tiles that are done */
    int stored; /* of the tile at hand: O, then m, then l */
} diary;

/* flash1 stores O, m, l after each tile, in that order; at the end L. */
static void note(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    diary *d = watcher;
    row_state *now = &d->after[d->n];

    (void)i0;
    if (!stored || a.hbm.data == d->h->L.hbm.data || d->n == MOST_TILES)
        return;
    if (d->stored == 0)
        for (size_t c = 0; c < tile.cols; c++)
            now->O[c] = row(tile, 0)[c];
    else
        *(d->stored == 1 ? &now->m : &now->l) = *tile.data;
    d->stored = (d->stored + 1) % 3;
    d->n += d->stored == 0;
}

/* One query through flash1, in tiles of Bc keys. */
static int follow(diary *d, head *one, size_t Bc)
{
    memory mem;
    int error;

    *d = (diary){.h = one};
    one->Br = 1;
    one->Bc = Bc;
    memory_init(&mem, MEMORY_UNBOUNDED);
    mem.watch = note;
    mem.watcher = d;
    error = flash1(one, &mem);
    if (error)
        fprintf(stderr, "row: %s\n", mem.message);
    memory_reset(&mem);
    return error;
}

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

    if (follow(&d, &one, TILE))
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
        if (follow(&d[k], &half[k], half[k].Nk))
            return 1;
    if (reference_attention(one, want, NULL))
        return 1;
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

int main(int argc, char **argv)
{
    size_t nth = argc > 2 ? strtoul(argv[1], NULL, 10) : 3;
    size_t query = argc > 2 ? strtoul(argv[2], NULL, 10) : 46;
    attention_arrays a;
    int failed = arrays_read(&a, "common/data/q.npy", "common/data/k.npy",
                             "common/data/v.npy");

    if (!failed) {
        head all = head_at(&a.problem, nth);
        head one = head_of_queries(&all, query, 1);

        failed = print_tiles(one) || print_halves(&one);
    }
    arrays_free(&a);
    return report_end(failed);
}
