/*
 * Following a backward kernel on the toy (backward_toy.h).
 */
#include "common/lesson/backward_toy.h"

#include "common/print/report.h"
#include "common/scores.h"

#include <string.h>

/* dO, O, and D = dO . O of each row. */
static void print_given(const backward_toy *t)
{
    table lines = {.used = 0};

    table_row(&lines, "row|dO|o|D|L");
    for (size_t i = 0; i < TOY_N; i++) {
        const float *dO = t->dO + i * TOY_D, *o = t->forward.O + i * TOY_D;
        float D = dot(dO, o, TOY_D);

        table_row(&lines, "%zu|%s|%s|%s|%s", i, numbers_text(dO, TOY_D).text,
                  numbers_text(o, TOY_D).text, numbers_text(&D, 1).text,
                  numbers_text(&t->forward.L[i], 1).text);
    }
    table_print(&lines);
    puts("");
}

int backward_toy_begin(backward_toy *t, const attention_step *forward)
{
    const float dO[TOY_N * TOY_D] = {1, 0, 0, 1, 1, 1, 1, -1};
    memory mem;
    int failed;

    toy_fill(&t->forward);
    memcpy(t->dO, dO, sizeof dO);
    t->forward.head.m = hbm_of(t->m, TOY_N, 1);
    t->forward.head.l = hbm_of(t->l, TOY_N, 1);
    memory_init(&mem, MEMORY_UNBOUNDED);
    failed = toy_run(&t->forward, forward, &mem);
    memory_reset(&mem);
    t->g = (gradients){.h = t->forward.head,
                       .dO = hbm_of(t->dO, TOY_N, TOY_D),
                       .dQ = hbm_of(t->dQ, TOY_N, TOY_D),
                       .dK = hbm_of(t->dK, TOY_N, TOY_D),
                       .dV = hbm_of(t->dV, TOY_N, TOY_D)};
    if (failed)
        return 1;
    toy_print(&t->forward);
    heading("The way back: dO is given, O and L are the forward pass's");
    print_given(t);
    return 0;
}

/* What of the kernel's loads and stores says where it is. */
typedef struct {
    backward_toy *t;
    table lines;
    size_t visits, i0, j0;
    bool stores_only;
} watched;

/* One query of the visit (i0, j0): its weights, dP and dS, as they follow from
 * what is loaded; and dq, as the kernel has stored it. */
static void print_query(watched *w, size_t i, const float *dq)
{
    const head *h = &w->t->g.h;
    const float *dO = row(w->t->g.dO.hbm, i), *q = row(h->Q.hbm, i);
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

static const char *name_of(const watched *w, array a)
{
    const gradients *g = &w->t->g;

    return a.hbm.data == g->dQ.hbm.data   ? "dQ"
           : a.hbm.data == g->dK.hbm.data ? "dK"
           : a.hbm.data == g->dV.hbm.data ? "dV"
                                          : "D";
}

static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    watched *w = watcher;
    const gradients *g = &w->t->g;

    if (a.hbm.data == g->h.K.hbm.data)
        w->j0 = i0;
    else if (a.hbm.data == g->h.Q.hbm.data)
        w->i0 = i0;
    if (!stored)
        return;
    if (w->stores_only)
        for (size_t i = 0; i < tile.rows; i++)
            table_row(&w->lines, "%s|%zu|%s", name_of(w, a), i0 + i,
                      numbers_text(row(tile, i), tile.cols).text);
    else if (a.hbm.data == g->dQ.hbm.data) {
        w->visits++;
        for (size_t i = 0; i < tile.rows; i++)
            print_query(w, i0 + i, row(tile, i));
    }
}

static int run(backward_toy *t, const char *name, backward_fn *kernel,
               watched *w)
{
    memory mem;
    int failed;

    memory_init(&mem, MEMORY_UNBOUNDED);
    mem.watch = watch;
    mem.watcher = w;
    failed = kernel(&t->g, &mem) != 0;
    if (failed)
        fprintf(stderr, "--trace: %s: %s\n", name, mem.message);
    memory_reset(&mem);
    return failed;
}

int backward_toy_trace(backward_toy *t, const char *name, backward_fn *kernel)
{
    watched w = {.t = t};
    table all = {.used = 0};

    table_row(&w.lines, "visit|(i,j)|query|p|dp|ds|dq");
    if (run(t, name, kernel, &w))
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

int backward_toy_stores(backward_toy *t, const char *name, backward_fn *kernel)
{
    watched w = {.t = t, .stores_only = true};

    table_row(&w.lines, "stored|row|");
    if (run(t, name, kernel, &w))
        return 1;
    table_print(&w.lines);
    return 0;
}
