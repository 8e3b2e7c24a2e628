/*
 * In which order do FlashAttention and FlashAttention-2 visit the tiles of S,
 * and what do they move for it? Both kernels watched on a head of the bundled
 * layer, with tiles by their rules.
 *
 *     make lab-loops
 *
 * Lines: tiles, kernel, Br, Bc, Tr, Tc | visit, kernel, nth, i, j (tiles) |
 * moved, kernel, array, bytes read, bytes written (fp32).
 */
#include <stdio.h>
#include <string.h>

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/problem/attention_arrays.h"
#include "common/print/report.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */

static const char arrays[] = "QKVO*"; /* *: m, l and L */

typedef struct {
    const char *name;
    attention_fn *run;
    char last; /* a visit's last load: then Q_i and K_j are both there */
    tile_sizes t;
    const head *h;
    size_t n, i, j; /* visits; tiles at hand */
    size_t moved[2][sizeof arrays];
} walk;

static size_t which(const head *h, array a)
{
    const array named[] = {h->Q, h->K, h->V, h->O};
    size_t k = 0;

    while (k < 4 && a.hbm.data != named[k].hbm.data)
        k++;
    return k;
}

static void note(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    walk *w = watcher;
    size_t k = which(w->h, a);

    w->moved[stored][k] += tile.rows * tile.cols * sizeof(float);
    if (arrays[k] == 'Q')
        w->i = i0 / w->t.Br;
    if (arrays[k] == 'K')
        w->j = i0 / w->t.Bc;
    if (arrays[k] == w->last && !stored)
        printf("visit\t%s\t%zu\t%zu\t%zu\n", w->name, ++w->n, w->i, w->j);
}

static int follow(walk *w)
{
    memory mem;
    int error;

    printf("tiles\t%s\t%zu\t%zu\t%zu\t%zu\n", w->name, w->t.Br, w->t.Bc,
           tiles(w->h->Nq, w->t.Br), tiles(w->h->Nk, w->t.Bc));
    memory_init(&mem, M_ON_CHIP);
    mem.watch = note;
    mem.watcher = w;
    error = w->run(w->h, &mem);
    if (error)
        fprintf(stderr, "loops: %s\n", mem.message);
    /* First values are not watched: those of O, and of m and l. */
    if (mem.counts.written[INIT]) {
        size_t O = w->h->Nq * w->h->dv;

        w->moved[1][3] += O * sizeof(float);
        w->moved[1][4] += (mem.counts.written[INIT] - O) * sizeof(float);
    }
    memory_reset(&mem);
    for (size_t k = 0; k < strlen(arrays); k++)
        printf("moved\t%s\t%s\t%zu\t%zu\n", w->name,
               arrays[k] == '*' ? "mlL" : (char[]){arrays[k], '\0'},
               w->moved[0][k], w->moved[1][k]);
    return error;
}

int main(void)
{
    attention_arrays a;
    int failed = arrays_bundled(&a);

    if (!failed) {
        head h = head_at(&a.problem, 0);
        walk columns = {.name = "flash1",
                        .run = flash1,
                        .last = 'O',
                        .t = flash1_tiles(&h, M_ON_CHIP),
                        .h = &h};
        walk rows = {.name = "flash2",
                     .run = flash2,
                     .last = 'V',
                     .t = flash2_tiles(&h, M_ON_CHIP),
                     .h = &h};

        failed = follow(&columns) | follow(&rows);
    }
    arrays_free(&a);
    return report_end(failed);
}
