/*
 * Four queries and four keys by FlashAttention, in tiles of 2 x 2. Everything
 * shown is what the kernel itself loads and stores: O, m and l live in HBM
 * between two visits, where they can be watched. docs/05_flash1.md
 */
#include "05_flash1/steps.h"

#include "common/print/report.h"
#include "common/scores.h"
#include "common/lesson/toy.h"

#include <string.h>

/* The tile loaded last from each array that the kernel holds in HBM. */
typedef struct {
    const head *h;
    table lines;
    size_t visits, j0;
    const float *m_hbm, *l_hbm;
    float m_prev[TOY_TILE], m[TOY_TILE], l[TOY_TILE], O[TOY_TILE * TOY_D];
    float O_hbm[TOY_N * TOY_D]; /* all that was stored */
} watched;

/* Two rows of the visit that has just stored its O, m and l. */
static void print_visit(watched *w, size_t i0)
{
    const head *h = w->h;
    float S[TOY_TILE * TOY_TILE];
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    scores(h, &mem, matrix_of(S, TOY_TILE, TOY_TILE),
           block(h->Q.hbm, i0, 0, TOY_TILE, TOY_D),
           block(h->K.hbm, w->j0, 0, TOY_TILE, TOY_D), i0, w->j0);
    w->visits++;
    for (size_t i = 0; i < TOY_TILE; i++) {
        const float *s = S + i * TOY_TILE;
        float m_tile = max_of(s, TOY_TILE);
        float alpha = exp_minus(w->m_prev[i], w->m[i]);
        float beta = exp_minus(m_tile, w->m[i]);

        table_row(&w->lines, "%zu|(%zu,%zu)|%zu|%s|%s|%s|%s|%s|%s|%s",
                  w->visits, i0 / TOY_TILE, w->j0 / TOY_TILE, i0 + i,
                  numbers_text(s, 2).text, numbers_text(&m_tile, 1).text,
                  numbers_text(&w->m[i], 1).text, numbers_text(&alpha, 1).text,
                  numbers_text(&beta, 1).text, numbers_text(&w->l[i], 1).text,
                  numbers_text(w->O + i * TOY_D, 2).text);
    }
}

/* flash1 loads O, m, l in that order, and stores them so. */
static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    watched *w = watcher;
    const head *h = w->h;
    const float *at = a.hbm.data;

    if (at == h->K.hbm.data)
        w->j0 = i0;
    else if (at == h->O.hbm.data && stored) {
        memcpy(w->O, tile.data, sizeof w->O);
        memcpy(w->O_hbm + i0 * TOY_D, tile.data, sizeof w->O);
    } else if (at == h->Q.hbm.data || at == h->V.hbm.data ||
               at == h->O.hbm.data || at == h->L.hbm.data)
        return;
    else if (!w->m_hbm || at == w->m_hbm) {
        w->m_hbm = at;
        memcpy(stored ? w->m : w->m_prev, tile.data, sizeof w->m);
    } else if (stored) {
        memcpy(w->l, tile.data, sizeof w->l);
        print_visit(w, i0);
    }
}

static int trace_state(toy *t)
{
    watched w = {.h = &t->head};
    memory mem;
    int failed;

    table_row(&w.lines, "visit|(i,j)|query|s|m~|m|alpha|beta|l|o");
    memory_init(&mem, MEMORY_UNBOUNDED);
    mem.watch = watch;
    mem.watcher = &w;
    failed = toy_run(t, flash1, &mem);
    memory_reset(&mem);
    if (failed)
        return 1;
    table_print(&w.lines);
    return toy_compare(t, "flash1", flash1, w.O_hbm);
}

int trace_flash1(void)
{
    visits by_columns;
    toy t;

    toy_fill(&t);
    toy_print(&t);
    heading("FlashAttention: tiles of 2 queries x 2 keys, keys outside");
    if (trace_state(&t) != 0)
        return 1;
    puts("\nm, l, o are read from HBM before a visit and written back after "
         "it.\nalpha = e^(m before - m) rescales the past, beta = e^(m~ - m) "
         "the tile.\n");
    if (visits_of(&by_columns, &t, flash1) != 0)
        return 1;
    visits_print(&by_columns, "The order of the visits: column by column", NULL,
                 NULL);
    puts("");
    next_step("./run, the same on real data");
    return 0;
}
