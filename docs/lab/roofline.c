/*
 * This machine's roofline: what it can compute and what it can read, measured,
 * and each step of chapters 04-06 as a point: FLOP/s against FLOPs per byte of
 * the HBM elements that it was counted to move (fp32, 4 bytes each).
 *
 *     build/docs/lab/roofline > docs/results/roofline.tsv
 *
 * Lines: roof, threads, GFLOP/s, GB/s | step, name, FLOP per byte, GFLOP/s. The
 * best of several runs: a roof is what can be reached. The steps that are not
 * counted have flash2's formula, with the tiles that they take.
 */
#include <math.h>
#include <stdio.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/fast/fast_steps.h"
#include "06_flash2/steps.h"
#include "common/speed/peak.h"
#include "common/print/report.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

enum { TRIES = 3, PROBES = 10 };

#define M_ON_CHIP 98304 /* elements */

#define X(target) {&flash2_lanes_##target, &flash2_simd_##target},
static const block_kernel *const blocks[][2] = {TARGETS};
#undef X

/* The tiles of a step that keeps no count; 0 x 0 if it is none of the two. */
static tile_sizes tiles_of(const attention_step *step)
{
    char message[160];
    size_t t = choose_target(message);
    bool is_simd = step->run == flash2_simd;

    if (t == target_count() || (!is_simd && step->run != flash2_lanes))
        return (tile_sizes){0, 0};
    return (tile_sizes){blocks[t][is_simd]->queries, blocks[t][is_simd]->keys};
}

/* Elements that it moves, all heads; 0 if nobody knows. */
static size_t elements_of(const layer *p, const attention_step *step)
{
    const attention_step *like = step->formula ? step : &chapter_06_steps[1];
    tile_sizes t = step->formula ? (tile_sizes){0, 0} : tiles_of(step);
    layer tiled = *p;

    if (!step->formula && !t.Br)
        return 0;
    tiled.each.Br = t.Br;
    tiled.each.Bc = t.Bc;
    return counts_moved(heads_formula(&tiled, like, M_ON_CHIP));
}

static int print_step(const layer *p, const attention_step *step, double peak)
{
    size_t elements = elements_of(p, step);
    measurement m;
    double rate;

    if (!elements)
        return 0;
    progress("%s", step->name);
    if (measure_forward(p, step, M_ON_CHIP, TRIES, NULL, &m))
        return 1;
    rate = bench_flops(p) / m.seconds;
    if (!(rate <= peak)) {
        fprintf(stderr, "roofline: %s: %g s cannot be right\n", step->name,
                m.seconds);
        return 1;
    }
    printf("step\t%s\t%.3f\t%.3f\n", step->name,
           bench_flops(p) / (4 * (double)elements), rate * 1e-9);
    return 0;
}

/* The best of several probes; gives the FLOP/s. */
static double print_roof(size_t threads)
{
    double flops = 0, bytes = 0;

    for (int i = 0; i < PROBES; i++) {
        flops = fmax(flops, peak_flops(threads));
        bytes = fmax(bytes, peak_bandwidth(threads));
    }
    printf("roof\t%zu\t%.2f\t%.2f\n", threads, flops * 1e-9, bytes * 1e-9);
    return flops;
}

int main(void)
{
    static const attention_step *const chapters[] = {
        chapter_04_steps, chapter_05_steps, chapter_06_steps};
    attention_arrays a;
    double peak;
    int failed = bench_arrays(&a, (bench_shape){1, 2, 2048, 64, false});

    if (failed)
        return 1;
    print_roof(1);
    peak = print_roof(thread_count());
    for (size_t i = 0; i < sizeof chapters / sizeof *chapters; i++)
        for (const attention_step *s = chapters[i]; s->name; s++)
            failed |= print_step(&a.problem, s, peak);
    progress_done();
    arrays_free(&a);
    return report_end(failed);
}
