/* Traces flash1 on the toy problem. docs/05_flash1.md */
#include "05_flash1/steps.h"

#include "common/print/report.h"
#include "common/lesson/attention/toy.h"

static int trace_state(toy *t)
{
    float m[TOY_N], l[TOY_N] = {0}, O[TOY_N * TOY_D] = {0};
    table lines = {0};
    size_t nth = 0;

    table_row(&lines, "visit|(i,j)|query|s|m~|m|alpha|beta|l|o");
    for (size_t i = 0; i < TOY_N; i++)
        m[i] = -INFINITY;
    for (size_t j0 = 0; j0 < TOY_N; j0 += TOY_TILE)
        for (size_t i = 0; i < TOY_N; i++) {
            float *o = O + i * TOY_D;
            toy_tile tile = toy_join(t, i, j0, &m[i], &l[i], o);

            nth += i % TOY_TILE == 0;
            table_row(
                &lines, "%zu|(%zu,%zu)|%zu|%s|%s|%s|%s|%s|%s|%s", nth,
                i / TOY_TILE, j0 / TOY_TILE, i, numbers_text(tile.s, 2).text,
                numbers_text(&tile.m, 1).text, numbers_text(&m[i], 1).text,
                numbers_text(&tile.alpha, 1).text,
                numbers_text(&tile.beta, 1).text, numbers_text(&l[i], 1).text,
                numbers_text(o, 2).text);
        }
    table_print(&lines);
    return toy_compare(t, &chapter_05_steps[0], O);
}

int trace_flash1(void)
{
    visits by_columns;
    toy t;

    toy_fill(&t);
    toy_print(&t);
    heading(
        "FlashAttention: tiles of 2 queries x 2 keys, keys in the outer loop");
    if (trace_state(&t) != 0)
        return 1;
    puts("\nm, l, o are read from HBM before a visit and written back after "
         "it.\n"
         "m~ and l~ are the maximum and the sum of the tile alone.\n"
         "alpha = e^(m_before - m), beta = e^(m~ - m), p = e^(s - m~).\n"
         "l = alpha l_before + beta l~, o = (alpha l_before o_before + beta p "
         "V) / l.\n");
    if (visits_of(&by_columns, &t, &chapter_05_steps[0]) != 0)
        return 1;
    visits_print(&by_columns, "The order of the visits: column by column", NULL,
                 NULL);
    puts("");
    next_step("make exercise-05\n  or: ./run");
    return 0;
}
