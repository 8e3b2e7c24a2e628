/*
 * Which tiles of queries and keys a kernel visits, in what order, and what has
 * crossed HBM after each visit: written down while the kernel itself runs.
 */
#include "tools/book/steps/steps.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"

static const attention_step forward[] = {
    {.run = flash1, .tiles = flash1_tiles, .formula = flash1_traffic},
    {.run = flash2, .tiles = flash2_tiles, .formula = flash2_traffic}};
static const attention_step back[] = {{.back = flash2_backward,
                                       .tiles = flash2_backward_tiles,
                                       .back_formula = flash2_backward_traffic},
                                      {.back = two_kernel_backward,
                                       .tiles = two_kernel_tiles,
                                       .back_formula = two_kernel_traffic}};

static gradients g;

/* A visit begins when a Q or K is loaded anew, or after the stores of the one
 * before. What else is loaded after stores is no visit's: L, at the end. */
static void watch(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    visits *v = watcher;
    visit *last = &v->nth[v->n];
    const float *at = a.hbm.data;
    int has = at == g.h.Q.hbm.data   ? QUERIES
              : at == g.h.K.hbm.data ? KEYS
                                     : NEITHER;
    int wrote = at == g.h.O.hbm.data || at == g.dQ.hbm.data ? QUERIES
                : at == g.dK.hbm.data                       ? KEYS
                                                            : NEITHER;

    last->now.over |= v->n > 0 && last->now.stored && !stored;
    if (has != NEITHER && (v->n == 0 || last->now.over || last->now.has[has])) {
        if (v->n == MOST_VISITS)
            return;
        v->nth[++v->n] = *last;
        last = &v->nth[v->n];
        last->count[VISITS]++;
        memset(&last->now, 0, sizeof last->now);
    }
    if (last->now.over)
        return;
    if (has != NEITHER) {
        last->now.has[has] = true;
        last->from[has] = i0;
        last->to[has] = i0 + tile.rows;
    }
    if (stored && wrote != NEITHER) {
        last->count[ROWS_WRITTEN + wrote] += !last->now.wrote[wrote];
        last->now.wrote[wrote] = true;
    }
    last->now.stored |= stored;
    last->count[READ + stored] += (double)(tile.rows * tile.cols);
}

static void count_up(visits *v, counts formula, const memory *mem)
{
    const counts *all = &mem->counts;
    const size_t total[] = {v->n,
                            counts_moved(*all),
                            counts_moved(formula),
                            all->written[INIT],
                            mem->on_chip,
                            all->read[LSE] + all->written[LSE]};

    for (size_t k = 0; k <= v->n; k++)
        for (int c = ALL_VISITS; c < COUNTS; c++)
            v->nth[k].count[c] = (double)total[c - ALL_VISITS];
    memcpy(v->error, mem->message, sizeof v->error);
    if (v->n == MOST_VISITS && !v->error[0])
        snprintf(v->error, sizeof v->error,
                 "%d visits or more are too many: choose a larger M",
                 MOST_VISITS);
}

void record(visits *v, book_kernel which, size_t N, size_t d, size_t M)
{
    array *const all[] = {&g.h.L, &g.h.Q, &g.h.K, &g.h.V, &g.h.O,
                          &g.dO,  &g.dQ,  &g.dK,  &g.dV};
    const size_t arrays = sizeof all / sizeof all[0];
    const attention_step *step = &forward[which % 2];
    const attention_step *its =
        which < ONE_KERNEL_BACK ? NULL : &back[which % 2];
    float *data = calloc(arrays * N * d, sizeof *data); /* any values will do */
    tile_sizes t;
    memory mem;

    memset(v, 0, sizeof *v);
    memory_init(&mem, M);
    mem.watch = watch;
    mem.watcher = v;
    g = (gradients){.h = {.Nq = N, .Nk = N, .d = d, .dv = d, .scale = 1}};
    for (size_t k = 0; k < arrays; k++)
        *all[k] = hbm_of(data + k * N * d, N, k == 0 ? 1 : d);
    t = its ? its->tiles(&g.h, M) : step->tiles(&g.h, M);
    v->Br = t.Br;
    v->Bc = t.Bc;
    if (!data)
        snprintf(mem.message, sizeof mem.message, "out of memory");
    else if (its)
        its->back(&g, &mem);
    else
        step->run(&g.h, &mem);
    count_up(v, its ? its->back_formula(&g, t) : step->formula(&g.h, t), &mem);
    memory_reset(&mem);
    free(data);
}
