/*
 * Prints the order in which kernels visit the tiles of S, and the kernels' HBM
 * traffic (pictures.h). A callback at each load and store records both.
 */
#include <stdio.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/lesson/attention/toy.h"
#include "docs/lab/pictures.h"

int watched(const attention_step *step, const head *h, size_t M,
            memory_watch *watch, void *watcher, memory *mem)
{
    int error;

    memory_init(mem, M);
    mem->watch = watch;
    mem->watcher = watcher;
    error = step_run(step, h, mem);
    if (error)
        fprintf(stderr, "pictures: %s\n", mem->message);
    memory_reset(mem);
    return error;
}

/* Prints the tiles of each visit, for four queries and four keys in tiles of
 * two. A line has: visit, kernel, number of the visit, i and j (numbers of the
 * tiles), tiles read, tiles written. */
static int follow(const attention_step *step)
{
    visits v;
    toy t;
    int error;

    toy_fill(&t);
    error = visits_of(&v, &t, step);
    for (size_t k = 0; !error && k < v.n; k++)
        if (v.visit[k].pair)
            printf("visit\t%s\t%zu\t%zu\t%zu\t%s\t%s\n", step->name, k + 1,
                   v.visit[k].i, v.visit[k].j, v.visit[k].read,
                   *v.visit[k].wrote ? v.visit[k].wrote : "nothing");
    return error;
}

int print_desk(const layer *bundled, const char *word)
{
    (void)bundled;
    (void)word;
    return follow(&chapter_05_steps[0]) || follow(&chapter_06_steps[1]);
}

/*
 * print_moves prints every load and store of head 0. There are three kinds of
 * lines:
 *   step, "tiles", Br, Bc, N, d, M
 *   step, "read" or "written", array, first row, number of rows, bytes through
 *     HBM so far (fp32, with initialisation), first row of the current tile of
 *     Q, first row of the current tile of K
 *   step, "total", array, bytes read, bytes written
 */
static const char *const names[] = {"Q", "K", "V", "O", "S", "mlL"};
enum { IN_Q, IN_K, IN_V, IN_O, IN_S, IN_ROWS, ARRAYS };

typedef struct {
    const char *step;
    const head *h;
    const memory *mem;
    size_t at[ARRAYS], moved[2][ARRAYS];
} walk;

static size_t which(const head *h, array a)
{
    const array named[] = {h->Q, h->K, h->V, h->O};
    size_t k = 0;

    while (k < IN_S && a.hbm.data != named[k].hbm.data)
        k++;
    return k == IN_S && a.hbm.cols != h->Nk ? IN_ROWS : k;
}

static void note(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    walk *w = watcher;
    size_t k = which(w->h, a);

    w->at[k] = i0;
    w->moved[stored][k] += tile.rows * tile.cols * sizeof(float);
    printf("%s\t%s\t%s\t%zu\t%zu\t%zu\t%zu\t%zu\n", w->step,
           stored ? "written" : "read", names[k], i0, tile.rows,
           counts_crossed(w->mem->counts) * sizeof(float), w->at[IN_Q],
           w->at[IN_K]);
}

int print_moves(const layer *bundled, const char *word)
{
    const attention_step *const steps[] = {
        &chapter_04_steps[0], &chapter_05_steps[0], &chapter_06_steps[1]};
    head h = head_at(bundled, 0);

    (void)word;
    for (size_t n = 0; n < sizeof steps / sizeof *steps; n++) {
        memory mem;
        walk w = {.step = steps[n]->name, .h = &h, .mem = &mem};
        tile_sizes t = {0, 0};

        if (steps[n]->tiles)
            t = steps[n]->tiles(&h, M_ON_CHIP);
        printf("%s\ttiles\t%zu\t%zu\t%zu\t%zu\t%d\n", w.step, t.Br, t.Bc, h.Nq,
               h.d, M_ON_CHIP);
        if (watched(steps[n], &h, M_ON_CHIP, note, &w, &mem))
            return 1;
        if (mem.counts.written[INIT]) { /* O, m and l; watch is not called */
            size_t O = h.Nq * h.dv;

            w.moved[1][IN_O] += O * sizeof(float);
            w.moved[1][IN_ROWS] +=
                (mem.counts.written[INIT] - O) * sizeof(float);
        }
        for (size_t k = 0; k < ARRAYS; k++)
            printf("%s\ttotal\t%s\t%zu\t%zu\n", w.step, names[k], w.moved[0][k],
                   w.moved[1][k]);
    }
    return 0;
}
