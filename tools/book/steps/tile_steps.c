/*
 * Watching a kernel's loads and stores (tile_steps.h). A visit ends when, after
 * its stores, something is loaded, or when its Q or its K is loaded anew.
 */
#include "tools/book/steps/tile_steps.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static tile_visit *visit_of(tile_steps *all, bool stored, bool is_Q, bool is_K)
{
    tile_visit *last = all->n ? &all->visit[all->n - 1] : NULL, *next;

    if (last && !(last->wrote && !stored) && !(last->has_Q && is_Q) &&
        !(last->has_K && is_K))
        return last;
    all->visits++;
    if (all->n == MOST_VISITS)
        return last;
    next = &all->visit[all->n++];
    *next = last ? *last : (tile_visit){0};
    next->has_Q = next->has_K = next->wrote = 0;
    next->wrote_rows = next->wrote_columns = 0;
    return next;
}

/* What a visit of the algorithm touches; L and the first values are apart. */
static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    tile_steps *all = watcher;
    const counts *now = &all->mem->counts;
    const gradients *g = all->g;
    bool is_Q = a.hbm.data == g->h.Q.hbm.data;
    bool is_K = a.hbm.data == g->h.K.hbm.data;
    tile_visit *v;

    all->crossed[stored] += (double)(tile.rows * tile.cols);
    if (all->n == 0 && !is_Q && !is_K)
        return; /* D, before the first visit */
    v = visit_of(all, stored, is_Q, is_K);
    if (is_Q) {
        v->i0 = (uint32_t)i0;
        v->i1 = (uint32_t)(i0 + tile.rows);
    }
    if (is_K) {
        v->j0 = (uint32_t)i0;
        v->j1 = (uint32_t)(i0 + tile.rows);
    }
    v->has_Q |= is_Q;
    v->has_K |= is_K;
    v->wrote |= stored;
    v->wrote_rows |=
        stored && a.hbm.data == (all->back ? g->dQ : g->h.O).hbm.data;
    v->wrote_columns |= stored && a.hbm.data == g->dK.hbm.data;
    v->read = (double)now->read[ALGORITHM];
    v->written = (double)now->written[ALGORITHM];
    if (all->back) { /* one of two kernels has a memory of its own: add up here */
        v->read = all->crossed[false];
        v->written = all->crossed[true];
    }
}

static array random_array(size_t rows, size_t cols, uint32_t *state)
{
    float *data = malloc(rows * cols * sizeof *data);

    for (size_t k = 0; data && k < rows * cols; k++) {
        *state = *state * 1664525 + 1013904223; /* any values will do */
        data[k] = (float)(*state >> 8) / 0x1p23f - 1;
    }
    return (array){matrix_of(data, rows, cols), FP32};
}

/* What came after the last tiles: L, which is booked apart. */
static void drop_what_is_no_visit(tile_steps *all)
{
    while (all->n > 0 && !all->visit[all->n - 1].has_Q &&
           !all->visit[all->n - 1].has_K) {
        all->n--;
        all->visits--;
    }
    if (all->visits > all->n && !all->error[0])
        snprintf(all->error, sizeof all->error,
                 "%zu visits are too many to draw: choose a larger M",
                 all->visits);
}

static void count_up(tile_steps *all, counts formula, const memory *mem)
{
    for (size_t b = 0; b < BOOKS; b++) {
        all->read[b] = (double)mem->counts.read[b];
        all->written[b] = (double)mem->counts.written[b];
    }
    all->formula =
        (double)(formula.read[ALGORITHM] + formula.written[ALGORITHM]);
    all->on_chip = (double)mem->on_chip;
    memcpy(all->error, mem->message, sizeof all->error);
    drop_what_is_no_visit(all);
}

/* Everything that a forward or a backward step reads and writes. */
enum { Q, K, V, O, DO, DQ, DK, DV, ROWS_L, ROWS_M, ARRAYS };

static bool make(array arrays[ARRAYS], size_t N, size_t d)
{
    uint32_t seed = 1;
    bool made = true;

    for (int k = 0; k < ARRAYS; k++) {
        arrays[k] = random_array(N, k < ROWS_L ? d : 1, &seed);
        made = made && arrays[k].hbm.data;
    }
    return made;
}

void tile_steps_of(tile_steps *all, const attention_step *step,
                   const backward_step *back, size_t N, size_t d, size_t M)
{
    array arrays[ARRAYS];
    bool made = make(arrays, N, d);
    head h = {.Nq = N, .Nk = N, .d = d, .dv = d, .scale = 1};
    gradients g = {0};
    memory mem;

    h.Q = arrays[Q];
    h.K = arrays[K];
    h.V = arrays[V];
    h.O = arrays[O];
    h.L = arrays[ROWS_L];
    g.h = h;
    g.h.kept.m = arrays[ROWS_M];
    g.h.kept.l = arrays[ROWS_L];
    g.dO = arrays[DO];
    g.dQ = arrays[DQ];
    g.dK = arrays[DK];
    g.dV = arrays[DV];
    memset(all, 0, sizeof *all);
    memory_init(&mem, M);
    mem.watch = watch;
    mem.watcher = all;
    all->g = &g;
    all->back = back;
    all->mem = &mem;
    all->tiles = back ? back->tiles(&g.h, M) : step->tiles(&h, M);
    if (!made)
        snprintf(mem.message, sizeof mem.message, "out of memory");
    else if (back)
        back->run(&g, &mem);
    else
        step->run(&h, &mem);
    count_up(all,
             back ? back->formula(&g, all->tiles)
                  : step->formula(&h, all->tiles),
             &mem);
    memory_reset(&mem);
    all->g = NULL;
    all->mem = NULL;
    for (int k = 0; k < ARRAYS; k++)
        free(arrays[k].hbm.data);
}
