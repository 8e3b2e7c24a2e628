/*
 * A race at one memory speed: standard attention, FlashAttention and
 * FlashAttention-2 on a head of the bundled layer, watched as they load and
 * store. A frame lasts as long as a hundredth of standard attention's traffic
 * takes to cross.
 *
 *     make lab-race
 *
 * Lines: step, frame (from 1), bytes moved by its end (fp32, all that crosses:
 * first values and L too), array, its first row then, rows, read or written; after a
 * step's last frame: step, 0, all of its bytes, "total", N, d, M.
 */
#include <stdio.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "common/problem/attention_arrays.h"

#define M_ON_CHIP 8192 /* elements, as in the chapters' programs */
enum { FRAMES = 100 };

static const char arrays[] = "QKVSO"; /* m, l, L, first values: not shown */

typedef struct {
    size_t first, end; /* rows; end 0: none */
} rows_touched;

typedef struct {
    const attention_step *step;
    const head *h;
    const memory *mem;
    size_t length; /* elements a frame; 0: only count */
    size_t frame, moved;
    rows_touched touched[2][sizeof arrays];
} runner;

static size_t which(const head *h, array a)
{
    const array named[] = {h->Q, h->K, h->V, a, h->O};
    size_t k = 0;

    while (k < 5 &&
           (k == 3 ? a.hbm.cols != h->Nk : a.hbm.data != named[k].hbm.data))
        k++;
    return k;
}

/* What was touched in the frame that is over. */
static void end_frame(runner *r)
{
    for (size_t k = 0; arrays[k]; k++)
        for (size_t stored = 0; stored < 2; stored++) {
            const rows_touched *t = &r->touched[stored][k];

            if (t->end)
                printf("%s\t%zu\t%zu\t%c\t%zu\t%zu\t%s\n", r->step->name,
                       r->frame, r->moved * sizeof(float), arrays[k], t->first,
                       t->end - t->first, stored ? "written" : "read");
        }
    memset(r->touched, 0, sizeof r->touched);
}

static void note(void *watcher, bool stored, array a, size_t i0, matrix tile)
{
    runner *r = watcher;
    size_t moved = counts_crossed(r->mem->counts);
    size_t frame = r->length ? tiles(moved, r->length) : 0;
    rows_touched *t = &r->touched[stored][which(r->h, a)];

    if (frame != r->frame) {
        end_frame(r);
        r->frame = frame;
    }
    r->moved = moved;
    t->first = t->end ? min_size(t->first, i0) : i0;
    if (t->end < i0 + tile.rows)
        t->end = i0 + tile.rows;
}

static int run(runner *r)
{
    memory mem;
    int error;

    memory_init(&mem, M_ON_CHIP);
    mem.watch = note;
    mem.watcher = r;
    r->mem = &mem;
    error = r->step->run(r->h, &mem);
    if (error)
        fprintf(stderr, "race: %s: %s\n", r->step->name, mem.message);
    else if (r->length) {
        end_frame(r);
        printf("%s\t0\t%zu\ttotal\t%zu\t%zu\t%d\n", r->step->name,
               r->moved * sizeof(float), r->h->Nq, r->h->d, M_ON_CHIP);
    }
    memory_reset(&mem);
    return error;
}

int main(void)
{
    const attention_step *const steps[] = {
        &chapter_04_steps[0], &chapter_05_steps[0], &chapter_06_steps[1]};
    attention_arrays a;
    int failed = arrays_bundled(&a);

    if (!failed) {
        head h = head_at(&a.problem, 0);
        runner slowest = {.step = steps[0], .h = &h};

        failed = run(&slowest);
        for (size_t k = 0; k < sizeof steps / sizeof *steps && !failed; k++) {
            runner r = {.step = steps[k],
                        .h = &h,
                        .length = tiles(slowest.moved, FRAMES)};

            failed = run(&r);
        }
    }
    arrays_free(&a);
    return report_end(failed);
}
