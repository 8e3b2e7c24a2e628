#include "common/lesson/attention/toy.h"

#include "common/scores.h"

#include <math.h>
#include <stdio.h>
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
    tile.alpha = rescale_factor(&mem, m_prev, *m);
    tile.beta = rescale_factor(&mem, tile.m, *m);
    tile.l = exponentiate(&mem, h, p, TOY_TILE, tile.m);
    old = tile.alpha * *l;
    *l = old + tile.beta * tile.l;
    add_weighted(pv, p, V);
    rescale(&mem, o, ratio(old, *l), TOY_D);
    add_divided(&mem, o, tile.beta, pv, *l, TOY_D);
    return tile;
}

int toy_end(memory *mem)
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
    return toy_end(&mem);
}

int toy_compare(toy *t, const attention_step *step, const float *traced)
{
    counts counted;

    if (toy_run(t, step, NULL, NULL, &counted))
        return 1;
    if (memcmp(t->O, traced, sizeof t->O) == 0) {
        printf("This O equals the O of %s, bit for bit.\n", step->name);
        return 0;
    }
    fprintf(stderr, "--trace: O differs from the O of %s\n", step->name);
    return 1;
}
