/*
 * Prints FlashAttention-2 on four queries and four keys, in tiles of 2 x 2, and
 * compares its O with O of the kernel. docs/06_flash2.md
 */
#include "06_flash2/steps.h"

#include "05_flash1/steps.h"
#include "common/print/report.h"
#include "common/scores.h"
#include "common/lesson/attention/toy.h"

/* Adds a tile of keys to the state of query i, where o is unnormalised. */
static void join(table *lines, const head *h, memory *mem, size_t i, size_t j0,
                 float *m, float *l, float *o)
{
    span j = span_of(j0, TOY_TILE);
    float s[TOY_TILE], p[TOY_TILE], pv[TOY_D] = {0};
    matrix S = matrix_of(s, 1, TOY_TILE);
    float m_prev = *m, alpha;

    scores(h, mem, &S, rows_of(h->Q, one(i)).hbm, rows_of(h->K, j).hbm, one(i),
           j);
    for (size_t k = 0; k < TOY_TILE; k++)
        p[k] = s[k];
    *m = fmaxf(m_prev, max_of(s, TOY_TILE));
    alpha = rescale_factor(mem, m_prev, *m);
    *l = alpha * *l + exponentiate(mem, h, p, TOY_TILE, *m);
    add_weighted(pv, p, rows_of(h->V, j).hbm);
    rescale(mem, o, alpha, TOY_D);
    axpy(o, 1, pv, TOY_D);
    table_row(lines, "(%zu,%zu)|%zu|%s|%s|%s|%s|%s|%s", i / TOY_TILE,
              j0 / TOY_TILE, i, numbers_text(s, 2).text,
              numbers_text(m, 1).text, numbers_text(&alpha, 1).text,
              numbers_text(p, 2).text, numbers_text(l, 1).text,
              numbers_text(o, 2).text);
}

/* Appends a row to `lines` per query and key tile, and O and L to `ends`. */
static void trace_rows(table *lines, table *ends, const head *h, memory *mem,
                       size_t i0, float *O)
{
    float m[TOY_TILE] = {-INFINITY, -INFINITY}, l[TOY_TILE] = {0};

    fill(matrix_of(O, TOY_TILE, TOY_D), 0);
    for (size_t j0 = 0; j0 < TOY_N; j0 += TOY_TILE)
        for (size_t i = 0; i < TOY_TILE; i++)
            join(lines, h, mem, i0 + i, j0, &m[i], &l[i], O + i * TOY_D);
    for (size_t i = 0; i < TOY_TILE; i++) {
        float L = m[i] + logf(l[i]);

        divide(mem, O + i * TOY_D, l[i], TOY_D);
        table_row(ends, "%zu|%s|%s", i0 + i,
                  numbers_text(O + i * TOY_D, 2).text,
                  numbers_text(&L, 1).text);
    }
}

int trace_flash2(void)
{
    float O[TOY_N * TOY_D];
    visits by_columns, by_rows;
    table tiles = {0}, ends = {0};
    memory mem;
    toy t;

    toy_fill(&t);
    memory_init(&mem, MEMORY_UNBOUNDED);
    toy_print(&t);
    heading("FlashAttention-2: tiles of 2 queries x 2 keys, queries in the "
            "outer loop");
    table_row(&tiles, "(i,j)|query|s|m|alpha|p|l|o");
    table_row(&ends, "query|o / l|L = m + ln l");
    for (size_t i0 = 0; i0 < TOY_N; i0 += TOY_TILE)
        trace_rows(&tiles, &ends, &t.head, &mem, i0, O + i0 * TOY_D);
    table_print(&tiles);
    puts("");
    table_print(&ends);
    if (toy_compare(&t, flash2_step, O) != 0)
        return 1;
    puts("\np = e^(s - m) with the new maximum m. o is divided once, at the "
         "end.\nm, l and o of a tile of queries stay on chip.\n");
    if (visits_of(&by_columns, &t, &chapter_05_steps[0]) ||
        visits_of(&by_rows, &t, flash2_step))
        return 1;
    visits_print(&by_columns, "FlashAttention (05): column by column", &by_rows,
                 "FlashAttention-2: row by row");
    puts("");
    next_step("make exercise-06\n  or: ./run");
    return 0;
}
