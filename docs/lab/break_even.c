/*
 * What attention moves through HBM, forward and in the backward pass, at N = 4096:
 * against standard attention by on-chip memory M, and as arithmetic intensity
 * by the size of the query tile.
 *
 *     build/docs/lab/break_even > docs/results/break_even.tsv
 *
 * Lines: over, step, d, M, elements counted (0 for what was not run), by
 * formula, over standard's, and of both ways together | first, step, d, the
 * first M with which it moves less | intensity, step, Br, Bc, elements counted,
 * FLOP per byte at 2 bytes an element (d = 64).
 */
#include <stdio.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "docs/lab/bench_problem.h"

enum { N = 4096 };

/* A step, and one of the backward pass after it, or NULL: then the step alone. */
typedef struct {
    const attention_step *step;
    const attention_step *back;
} round_trip;

static gradients square(size_t n, size_t d)
{
    return (gradients){.h = {.Nq = n, .Nk = n, .d = d, .dv = d}};
}

/* Elements moved by formula. */
static double forward_of(const round_trip *w, const gradients *g, size_t M)
{
    return (double)counts_moved(
        w->step->formula(&g->h, step_tiles(w->step, &g->h, M)));
}

static double back_of(const round_trip *w, const gradients *g, size_t M)
{
    return (double)counts_moved(
        w->back->back_formula(g, step_tiles(w->back, &g->h, M)));
}

static const round_trip standard = {&chapter_04_steps[0],
                                    &chapter_05_backward[0]};

/* Over standard's: of one way, and of both. */
static double over(const round_trip *w, const gradients *g, size_t M)
{
    return w->back ? back_of(w, g, M) / back_of(&standard, g, M)
                   : forward_of(w, g, M) / forward_of(&standard, g, M);
}

static double both_over(const round_trip *w, const gradients *g, size_t M)
{
    return w->back
               ? (forward_of(w, g, M) + back_of(w, g, M)) /
                     (forward_of(&standard, g, M) + back_of(&standard, g, M))
               : over(w, g, M);
}

/* What moves while it runs; 0 after one line on stderr. */
static size_t counted_forward(const layer *p, const attention_step *step,
                              size_t M)
{
    measurement m;

    progress("%s", step->name);
    return measure_forward(p, step, M, 1, NULL, &m) ? 0
                                                    : counts_moved(m.counted);
}

static size_t counted(const round_trip *w, size_t d, size_t M)
{
    backward_layer b = {.forward = {.Q_name = ""}};
    backward_cost cost = {.on_chip = 0};
    size_t moved = 0;

    if (!bench_arrays(&b.forward, (bench_shape){1, 1, N, d, false})) {
        if (!w->back)
            moved = counted_forward(&b.forward.layer, w->step, M);
        else if (!backward_arrays(&b, NULL) &&
                 !backward_run(&b, w->back, M, &cost))
            moved = counts_moved(cost.counted);
    }
    backward_free(&b);
    return moved;
}

/* M from 2^11 to 2^18 in eighths of an octave; run at some of them. */
static void print_over(const round_trip *w, size_t d)
{
    const char *name = w->back ? w->back->name : w->step->name;
    gradients g = square(N, d);
    size_t first = 8 * d;

    for (size_t octave = 2048; octave < 262144; octave *= 2)
        for (size_t M = octave; M < 2 * octave; M += octave / 8) {
            bool run = w->back ? d == 64 && (M == 24576 || M == 98304)
                               : d > 32 && M > 8192 && 2 * M == 3 * octave;

            if (M >= 8 * d)
                printf("over\t%s\t%zu\t%zu\t%zu\t%.0f\t%.4f\t%.4f\n", name, d,
                       M, run ? counted(w, d, M) : 0,
                       w->back ? back_of(w, &g, M) : forward_of(w, &g, M),
                       over(w, &g, M), both_over(w, &g, M));
        }
    while (over(w, &g, first) >= 1)
        first++;
    printf("first\t%s\t%zu\t%zu\n", name, d, first);
}

static void print_intensity(layer *p, const attention_step *step, size_t Br)
{
    size_t moved;

    p->each.tile.Br = Br;
    p->each.tile.Bc = 64;
    moved = counted_forward(p, step, MEMORY_UNBOUNDED);
    printf("intensity\t%s\t%zu\t64\t%zu\t%.2f\n", step->name, Br, moved,
           bench_flops(p) / (2 * (double)moved));
}

int main(void)
{
    const round_trip ways[] = {{&chapter_05_steps[0], NULL},
                               {&chapter_06_steps[1], NULL},
                               {&chapter_05_steps[0], &chapter_05_backward[1]},
                               {&chapter_06_steps[1], &chapter_06_backward[0]},
                               {&chapter_06_steps[1], &chapter_06_backward[1]}};
    attention_arrays a;
    int failed = bench_arrays(&a, (bench_shape){1, 1, N, 64, false});

    for (size_t k = 0; k < sizeof ways / sizeof *ways && !failed; k++)
        for (size_t d = 32; d <= 128; d *= 2)
            print_over(&ways[k], d);
    if (!failed) {
        print_intensity(&a.layer, &chapter_04_steps[4], 1); /* one query */
        print_intensity(&a.layer, &chapter_04_steps[0], 1); /* no tiles */
        for (size_t Br = 16; Br <= 256; Br *= 2)
            print_intensity(&a.layer, &chapter_06_steps[1], Br);
    }
    progress_done();
    arrays_free(&a);
    return report_end(failed);
}
