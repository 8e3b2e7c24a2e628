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
    return next;
}

/* What a visit of the algorithm touches; L and the first values are apart. */
static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    tile_steps *all = watcher;
    const counts *now = &all->mem->counts;
    bool is_Q = a.hbm.data == all->h->Q.hbm.data;
    bool is_K = a.hbm.data == all->h->K.hbm.data;
    tile_visit *v = visit_of(all, stored, is_Q, is_K);

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
    v->read = (double)now->read[ALGORITHM];
    v->written = (double)now->written[ALGORITHM];
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

static void count_up(tile_steps *all, const attention_step *step,
                     const memory *mem)
{
    counts formula = step->formula(all->h, all->tiles);

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

void tile_steps_of(tile_steps *all, const attention_step *step, size_t N,
                   size_t d, size_t M)
{
    uint32_t seed = 1;
    memory mem;
    head h = {.Nq = N, .Nk = N, .d = d, .dv = d, .scale = 1};

    h.Q = random_array(N, d, &seed);
    h.K = random_array(N, d, &seed);
    h.V = random_array(N, d, &seed);
    h.O = random_array(N, d, &seed);
    h.L = random_array(N, 1, &seed);
    memset(all, 0, sizeof *all);
    memory_init(&mem, M);
    mem.watch = watch;
    mem.watcher = all;
    all->h = &h;
    all->mem = &mem;
    all->tiles = step->tiles(&h, M);
    if (h.Q.hbm.data && h.K.hbm.data && h.V.hbm.data && h.O.hbm.data &&
        h.L.hbm.data)
        step->run(&h, &mem);
    else
        snprintf(mem.message, sizeof mem.message, "out of memory");
    count_up(all, step, &mem);
    memory_reset(&mem);
    all->h = NULL;
    all->mem = NULL;
    free(h.Q.hbm.data);
    free(h.K.hbm.data);
    free(h.V.hbm.data);
    free(h.O.hbm.data);
    free(h.L.hbm.data);
}
