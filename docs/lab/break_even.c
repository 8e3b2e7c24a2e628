/*
 * Prints the HBM traffic of the forward and the backward pass at N = 4096: the
 * ratio to standard attention's traffic for each on-chip memory of M elements,
 * and the arithmetic intensity for each query tile of Br rows. Computes the
 * traffic by formula. The chapters' tests compare the formulas with counts.
 *
 * There are three kinds of lines, with tabs between their fields. A ratio is
 * that of the traffic to standard attention's:
 *   over, step, d, M, ratio of the last pass of the step, ratio of all passes
 *   first, step, d, the smallest M with a ratio of the last pass below 1
 *   intensity, step, Br, FLOP per byte (d = 64, 2 bytes per element)
 */
#include <stdio.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"

enum { N = 4096 };

/* If back is NULL only the forward pass counts. */
typedef struct {
    const attention_step *step;
    const backward_step *back;
} round_trip;

static gradients square(size_t n, size_t d)
{
    return (gradients){.h = {.Nq = n, .Nk = n, .d = d, .dv = d}};
}

/* Return the number of elements that a pass moves, by formula. */
static double forward_of(const round_trip *w, const gradients *g, size_t M)
{
    return (double)counts_moved(
        w->step->formula(&g->h, step_tiles(w->step, &g->h, M)));
}

static double back_of(const round_trip *w, const gradients *g, size_t M)
{
    return (double)counts_moved(
        w->back->formula(g, backward_step_tiles(w->back, &g->h, M)));
}

static const round_trip standard = {&chapter_04_steps[0],
                                    &chapter_05_backward[0]};

/* Returns the ratio to standard attention's traffic: of the backward pass if
 * there is one, else of the forward pass. */
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

/* Returns the smallest M >= 8 d with less traffic than standard attention. The
 * traffic depends on M only through the tile sizes. */
static size_t first_less(const round_trip *w, const gradients *g)
{
    tile_sizes last = {0, 0};

    for (size_t M = 8 * g->h.d;; M++) {
        tile_sizes t = w->back ? backward_step_tiles(w->back, &g->h, M)
                               : step_tiles(w->step, &g->h, M);

        if ((t.Br != last.Br || t.Bc != last.Bc) && over(w, g, M) < 1)
            return M;
        last = t;
    }
}

/* There are 8 values of M per power of two. */
static void print_over(const round_trip *w, size_t d)
{
    const char *name = w->back ? w->back->name : w->step->name;
    gradients g = square(N, d);

    for (size_t octave = 2048; octave < 262144; octave *= 2)
        for (size_t M = octave; M < 2 * octave; M += octave / 8)
            if (M >= 8 * d)
                printf("over\t%s\t%zu\t%zu\t%.4f\t%.4f\n", name, d, M,
                       over(w, &g, M), both_over(w, &g, M));
    printf("first\t%s\t%zu\t%zu\n", name, d, first_less(w, &g));
}

static void print_intensity(const attention_step *step, size_t Br)
{
    const size_t d = 64;
    gradients g = square(N, d);
    size_t moved = counts_moved(step->formula(&g.h, (tile_sizes){Br, 64}));

    printf("intensity\t%s\t%zu\t%.2f\n", step->name, Br,
           (double)(4 * N * N * d) / (2 * (double)moved));
}

int main(void)
{
    const round_trip ways[] = {{&chapter_05_steps[0], NULL},
                               {&chapter_06_steps[1], NULL},
                               {&chapter_05_steps[0], &chapter_05_backward[1]},
                               {&chapter_06_steps[1], &chapter_06_backward[0]},
                               {&chapter_06_steps[1], &chapter_06_backward[1]}};

    for (size_t k = 0; k < sizeof ways / sizeof *ways; k++)
        for (size_t d = 32; d <= 128; d *= 2)
            print_over(&ways[k], d);
    print_intensity(&chapter_04_steps[4], 1); /* tiles of one query */
    print_intensity(&chapter_04_steps[0], 1); /* standard attention: no tiles */
    for (size_t Br = 16; Br <= 256; Br *= 2)
        print_intensity(&chapter_06_steps[1], Br);
    return report_end(0);
}
