/*
 * What the backward steps move through HBM at N = 4096, by on-chip memory,
 * against standard attention; and figure 2 of FlashAttention's paper in our
 * counts.
 *
 *     build/docs/lab/backward_traffic > docs/results/backward_traffic.tsv
 *     build/docs/lab/backward_traffic figure2
 *
 * Lines: over, step, d, M, elements counted, by formula (0 for what was not
 * run), over standard_backward's, and with the forward passes of both over
 * standard's two | first, step, d, the first M with which it moves less.
 */
#include <stdio.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/backward/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "common/problem/backward_layer.h"

/* A backward step and its forward pass's tiles and traffic. */
typedef struct {
    const backward_step *step;
    tile_sizes (*tiles)(const head *h, size_t M);
    counts (*forward)(const head *h, tile_sizes t);
} both_ways;

static both_ways ways[3];

static gradients square(size_t N, size_t d)
{
    return (gradients){.h = {.Nq = N, .Nk = N, .d = d, .dv = d}};
}

static double backward_of(const both_ways *w, const gradients *g, size_t M)
{
    return (double)counts_moved(w->step->formula(g, w->step->tiles(&g->h, M)));
}

static double forward_of(const both_ways *w, const gradients *g, size_t M)
{
    return (double)counts_moved(w->forward(&g->h, w->tiles(&g->h, M)));
}

static double standard_of(const gradients *g, bool both)
{
    const tile_sizes none = {0, 0};
    counts c = standard_backward_traffic(g, none);

    if (both) {
        counts forward = standard_traffic(&g->h, none);

        counts_add(&c, &forward);
    }
    return (double)counts_moved(c);
}

/* The step run on a random problem of that size; its elements. */
static size_t count_elements(const both_ways *w, size_t N, size_t d, size_t M)
{
    const random_sizes sizes = {1, 1, 1, N, N, d, d, 1};
    backward_layer b = {.forward = {.Q_name = ""}};
    backward_cost cost = {.on_chip = 0};

    progress("%s at M = %zu", w->step->name, M);
    if (arrays_random(&b.forward, &sizes) || backward_arrays(&b, NULL) ||
        backward_run(&b, w->step, M, &cost))
        cost.counted = (counts){.exps = 0};
    backward_free(&b);
    return counts_moved(cost.counted);
}

/* M from 2^11 to 2^18 in eighths of an octave; run for d = 64 at two of them. */
static void print_ratios(const both_ways *w, size_t N, size_t d)
{
    gradients g = square(N, d);

    for (size_t octave = 2048; octave < 262144; octave *= 2)
        for (size_t M = octave; M < 2 * octave; M += octave / 8) {
            double back = backward_of(w, &g, M);
            bool run = d == 64 && (M == 24576 || M == 98304);
            size_t counted = run ? count_elements(w, N, d, M) : 0;

            if (M < 8 * d)
                continue;
            printf("over\t%s\t%zu\t%zu\t%zu\t%.0f\t%.4f\t%.4f\n", w->step->name,
                   d, M, counted, back, back / standard_of(&g, false),
                   (back + forward_of(w, &g, M)) / standard_of(&g, true));
        }
}

static void print_first(const both_ways *w, size_t N, size_t d)
{
    gradients g = square(N, d);
    size_t M = 8 * d;

    while (backward_of(w, &g, M) >= standard_of(&g, false))
        M++;
    printf("first\t%s\t%zu\t%zu\n", w->step->name, d, M);
}

/* Of standard attention, and of FlashAttention. */
typedef struct {
    double GB[2], GFLOP[2], ms[2];
} figures;

/* Ours (what we have none of: 0), and the two of the paper. */
static void row_of(table *t, const char *name, double ours, double its,
                   double first)
{
    words w = {""};

    if (ours > 0)
        snprintf(w.text, sizeof w.text, "%.1f", ours);
    table_row(t, "%s|%s|%.1f|%.1f", name, w.text, its, first);
}

/* 1024 heads (16 of each of 64 sequences), N 1024, d 64, 2 bytes a number;
 * beside it what the paper prints, and what its first version did (arXiv
 * 2205.14135v1: a mask, no dropout). */
static void print_figure2(void)
{
    gradients g = square(1024, 64);
    const tile_sizes t = {64, 256};
    double GB = 1024 * 2 / 1e9, NN = 1024 * 1024 * GB, once = 12 * 65536 * GB;
    counts c = flash1_backward_traffic(&g, t), f = flash1_traffic(&g.h, t);
    size_t flash1_moves = counts_moved(c) + c.written[INIT] + counts_moved(f) +
                          f.written[INIT] + f.read[LSE] + f.written[LSE];
    figures o = {.GB = {standard_of(&g, true) * GB, (double)flash1_moves * GB},
                 .GFLOP = {12 * NN / 2 * 64, 14 * NN / 2 * 64}};
    figures p = {{40.3, 4.4}, {66.6, 75.2}, {41.7, 7.3}};
    figures v = {{35.3, 4.4}, {66.6, 75.2}, {35.1, 11.7}};
    table lines = {0};

    printf("1024 heads, N = 1024, d = 64, 2 bytes, forward and backward. A "
           "matrix of N^2 is\n%.2f GB; each input and output, carried once, "
           "is 12Nd: %.2f GB.\n\n",
           NN, once);
    table_row(&lines, "what|ours|the paper|its first version");
    row_of(&lines, "standard, GB", o.GB[0], p.GB[0], v.GB[0]);
    row_of(&lines, "flash1, GB (ours: --br 64 --bc 256)", o.GB[1], p.GB[1],
           v.GB[1]);
    row_of(&lines, "standard over flash1", o.GB[0] / o.GB[1], p.GB[0] / p.GB[1],
           v.GB[0] / v.GB[1]);
    row_of(&lines, "standard beyond our count, in N^2", 0,
           (p.GB[0] - o.GB[0]) / NN, (v.GB[0] - o.GB[0]) / NN);
    row_of(&lines, "flash1 over 12Nd", o.GB[1] / once, p.GB[1] / once,
           v.GB[1] / once);
    row_of(&lines, "standard, GFLOP (ours: 12N^2d)", o.GFLOP[0], p.GFLOP[0],
           v.GFLOP[0]);
    row_of(&lines, "flash1, GFLOP (ours: 14N^2d)", o.GFLOP[1], p.GFLOP[1],
           v.GFLOP[1]);
    row_of(&lines, "more, in percent", 100 * (o.GFLOP[1] / o.GFLOP[0] - 1),
           100 * (p.GFLOP[1] / p.GFLOP[0] - 1),
           100 * (v.GFLOP[1] / v.GFLOP[0] - 1));
    row_of(&lines, "standard, milliseconds", 0, p.ms[0], v.ms[0]);
    row_of(&lines, "flash1, milliseconds", 0, p.ms[1], v.ms[1]);
    row_of(&lines, "standard over flash1", 0, p.ms[0] / p.ms[1],
           v.ms[0] / v.ms[1]);
    table_print(&lines);
}

int main(int argc, char **argv)
{
    const size_t d[] = {32, 64, 128};

    ways[0] =
        (both_ways){&chapter_05_backward[1], flash1_tiles, flash1_traffic};
    ways[1] =
        (both_ways){&chapter_06_backward[0], flash2_tiles, flash2_traffic};
    ways[2] =
        (both_ways){&chapter_06_backward[1], flash2_tiles, flash2_traffic};
    if (argc > 1 && strcmp(argv[1], "figure2") == 0) {
        print_figure2();
        return report_end(0);
    }
    for (size_t w = 0; w < 3; w++)
        for (size_t k = 0; k < 3; k++) {
            print_ratios(&ways[w], 4096, d[k]);
            print_first(&ways[w], 4096, d[k]);
        }
    progress_done();
    return report_end(0);
}
