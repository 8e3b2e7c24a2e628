/*
 * The toy of --trace (toy.h).
 */
#include "common/lesson/toy.h"

#include "common/print/report.h"
#include "common/scores.h"

#include <math.h>
#include <string.h>

void toy_fill(toy *t)
{
    *t = (toy){
        .Q = {1, 0, 0, 1, 1, 1, -1, 0},
        .K = {1, 0, 0, 1, 2, 1, 1, 2},
        .V = {1, 0, 0, 1, 2, 0, 0, 2},
    };
    t->head = (head){
        .Nq = TOY_N,
        .Nk = TOY_N,
        .d = TOY_D,
        .dv = TOY_D,
        .Q = hbm_of(t->Q, TOY_N, TOY_D),
        .K = hbm_of(t->K, TOY_N, TOY_D),
        .V = hbm_of(t->V, TOY_N, TOY_D),
        .O = hbm_of(t->O, TOY_N, TOY_D),
        .L = hbm_of(t->L, TOY_N, 1),
        .scale = 1,
        .tile.Br = TOY_TILE,
        .tile.Bc = TOY_TILE,
    };
}

numbers numbers_text(const float *x, size_t n)
{
    numbers all = {""};
    size_t used = 0;

    for (size_t k = 0; k < n && used < sizeof all.text; k++) {
        bool whole = x[k] == roundf(x[k]);
        int width =
            snprintf(all.text + used, sizeof all.text - used,
                     whole ? "%s%.0f" : "%s%.4f", k ? " " : "", (double)x[k]);

        used += (size_t)width;
    }
    return all;
}

void toy_print(const toy *t)
{
    puts("         Q        K        V");
    for (size_t i = 0; i < TOY_N; i++)
        printf("  row %zu  %2.0f %2.0f    %2.0f %2.0f    %2.0f %2.0f\n", i,
               (double)t->Q[2 * i], (double)t->Q[2 * i + 1],
               (double)t->K[2 * i], (double)t->K[2 * i + 1],
               (double)t->V[2 * i], (double)t->V[2 * i + 1]);
    puts("");
}

toy_tile toy_join(const toy *t, size_t i, size_t j0, float *m, float *l,
                  float *o)
{
    const head *h = &t->head;
    span j = span_of(j0, TOY_TILE);
    matrix q = rows_of(h->Q, one(i)).hbm, K = rows_of(h->K, j).hbm;
    matrix V = rows_of(h->V, j).hbm, s;
    float p[TOY_TILE], pv[TOY_D] = {0}, m_prev = *m, old;
    toy_tile tile;
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    s = matrix_of(tile.s, 1, TOY_TILE);
    scores(h, &mem, &s, q, K, one(i), j);
    memcpy(p, tile.s, sizeof p);
    tile.m = max_of(p, TOY_TILE);
    *m = fmaxf(m_prev, tile.m);
    tile.alpha = worth(&mem, m_prev, *m);
    tile.beta = worth(&mem, tile.m, *m);
    tile.l = exponentiate(&mem, h, p, TOY_TILE, tile.m);
    old = tile.alpha * *l;
    *l = old + tile.beta * tile.l;
    add_weighted(pv, p, V);
    rescale(&mem, o, ratio(old, *l), TOY_D);
    add_divided(&mem, o, tile.beta, pv, *l, TOY_D);
    return tile;
}

/* Frees the memory after a run. Returns an exit code. */
static int done(memory *mem)
{
    int failed = mem->error != MEMORY_OK;

    if (failed)
        fprintf(stderr, "--trace: %s\n", mem->message);
    memory_reset(mem);
    return failed;
}

int toy_run(toy *t, const attention_step *step, memory_watch *watch,
            void *watcher, counts *counted)
{
    memory mem;

    memory_init(&mem, MEMORY_UNBOUNDED);
    mem.watch = watch;
    mem.watcher = watcher;
    step_run(step, &t->head, &mem);
    *counted = mem.counts;
    return done(&mem);
}

int toy_compare(toy *t, const attention_step *step, const float *traced)
{
    counts counted;

    if (toy_run(t, step, NULL, NULL, &counted))
        return 1;
    if (memcmp(t->O, traced, sizeof t->O) == 0) {
        printf("This O is %s's own, bit for bit.\n", step->name);
        return 0;
    }
    fprintf(stderr, "--trace: does not show what %s computes\n", step->name);
    return 1;
}

/* --- The backward pass --------------------------------------------------- */

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
    heading("The backward pass: dO is given, O and L are the forward pass's");
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
    return done(&mem);
}

/* The position of the kernel, found from its loads and stores. */
typedef struct {
    const gradients *g;
    table lines;
    size_t visits, i0, j0;
} watched;

/* Prints one query of the visit (i0, j0): weights, dP and dS, recomputed from
 * the loaded tiles; and dq, as the kernel stored it. */
static void print_query(watched *w, size_t i, const float *dq)
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
            print_query(w, i0 + i, row(tile, i));
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
