#include "common/lesson/attention/toy_backward.h"

#include "common/print/report.h"
#include "common/scores.h"

#include <string.h>

int backward_toy_begin(backward_toy *t, const attention_step *forward)
{
    const float dO[TOY_N * TOY_D] = {1, 0, 0, 1, 1, 1, 1, -1};
    table lines = {.used = 0};
    counts counted;

    toy_fill(&t->forward);
    memcpy(t->dO, dO, sizeof dO);
    t->forward.head.m = hbm_of(t->m, TOY_N, 1);
    t->forward.head.l = hbm_of(t->l, TOY_N, 1);
    t->g = (gradients){.h = t->forward.head,
                       .dO = hbm_of(t->dO, TOY_N, TOY_D),
                       .dQ = hbm_of(t->dQ, TOY_N, TOY_D),
                       .dK = hbm_of(t->dK, TOY_N, TOY_D),
                       .dV = hbm_of(t->dV, TOY_N, TOY_D)};
    if (toy_run(&t->forward, forward, NULL, NULL, &counted))
        return 1;
    toy_print(&t->forward);
    heading("The backward pass: dO is given, O and L are of the forward pass");
    table_row(&lines, "row|dO|o|D|L");
    for (size_t i = 0; i < TOY_N; i++) {
        const float *o = t->forward.O + i * TOY_D;
        float D = dot(t->dO + i * TOY_D, o, TOY_D);

        table_row(&lines, "%zu|%s|%s|%s|%s", i,
                  numbers_text(t->dO + i * TOY_D, TOY_D).text,
                  numbers_text(o, TOY_D).text, numbers_text(&D, 1).text,
                  numbers_text(&t->forward.L[i], 1).text);
    }
    table_print(&lines);
    puts("");
    return 0;
}

int backward_toy_run(backward_toy *t, backward_fn *kernel, memory_watch *watch,
                     void *watcher)
{
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    mem.watch = watch;
    mem.watcher = watcher;
    kernel(&t->g, &mem);
    return toy_end(&mem);
}

typedef struct {
    const gradients *g;
    table lines;
    size_t visits, i0, j0;
} watched;

/* Adds a line for query i: weights, dP and dS, recomputed here, and the dq that
 * the kernel stored. */
static void add_line(watched *w, size_t i, const float *dq)
{
    const head *h = &w->g->h;
    const float *dO = row(w->g->dO.hbm, i), *q = row(h->Q.hbm, i);
    float D = dot(dO, row(h->O.hbm, i), TOY_D);
    float p[TOY_TILE], dp[TOY_TILE], ds[TOY_TILE];

    for (size_t k = 0; k < TOY_TILE; k++) {
        size_t j = w->j0 + k;

        p[k] = exp_minus(h->scale * dot(q, row(h->K.hbm, j), TOY_D),
                         *row(h->L.hbm, i));
        dp[k] = dot(dO, row(h->V.hbm, j), TOY_D);
        ds[k] = p[k] * (dp[k] - D);
    }
    table_row(&w->lines, "%zu|(%zu,%zu)|%zu|%s|%s|%s|%s", w->visits,
              w->i0 / TOY_TILE, w->j0 / TOY_TILE, i,
              numbers_text(p, TOY_TILE).text, numbers_text(dp, TOY_TILE).text,
              numbers_text(ds, TOY_TILE).text, numbers_text(dq, TOY_D).text);
}

static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    watched *w = watcher;

    if (a.hbm.data == w->g->h.K.hbm.data)
        w->j0 = i0;
    else if (a.hbm.data == w->g->h.Q.hbm.data)
        w->i0 = i0;
    else if (stored && a.hbm.data == w->g->dQ.hbm.data) {
        w->visits++;
        for (size_t i = 0; i < tile.rows; i++)
            add_line(w, i0 + i, row(tile, i));
    }
}

int backward_toy_trace(backward_toy *t, backward_fn *kernel)
{
    watched w = {.g = &t->g};
    table all = {.used = 0};

    table_row(&w.lines, "visit|(i,j)|query|p|dp|ds|dq");
    if (backward_toy_run(t, kernel, watch, &w))
        return 1;
    table_print(&w.lines);
    puts("");
    table_row(&all, "row|dQ|dK|dV");
    for (size_t i = 0; i < TOY_N; i++)
        table_row(&all, "%zu|%s|%s|%s", i,
                  numbers_text(t->dQ + i * TOY_D, TOY_D).text,
                  numbers_text(t->dK + i * TOY_D, TOY_D).text,
                  numbers_text(t->dV + i * TOY_D, TOY_D).text);
    table_print(&all);
    return 0;
}
