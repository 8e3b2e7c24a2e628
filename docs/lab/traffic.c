/*
 * What attention moves through HBM, counted while the kernels run at N = 4096:
 * against standard attention's own count by on-chip memory M, and as
 * arithmetic intensity by the size of the query tile.
 *
 *     build/docs/lab/traffic > docs/results/traffic.tsv
 *
 * Lines: ratio, step, d, M, elements counted, by formula (0 for what was not
 * run), over standard's | intensity, step, Br, Bc, elements counted, FLOP per
 * byte at 2 bytes an element (d = 64).
 */
#include <stdio.h>
#include <string.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/elements.h"

enum { N = 4096 };

static const attention_step *const steps[] = {&chapter_05_steps[0],
                                              &chapter_06_steps[1]};

/* Over standard, with the tiles of each kernel's own rule, M from 2^13 to 2^18
 * in eighths of an octave; run where M is 3 times a power of two. */
static int print_ratios(size_t d)
{
    layer p;
    double standard;

    if (bench_new(&p, (bench_shape){1, 1, N, d}, false))
        return 1;
    standard = (double)counts_moved(heads_formula(&p, chapter_04_steps, 0));
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        for (size_t octave = 8192; octave < 262144; octave *= 2)
            for (size_t M = octave; M < 2 * octave; M += octave / 8) {
                size_t formula = counts_moved(heads_formula(&p, steps[k], M));
                bool run = 2 * M == 3 * octave;
                size_t count = run ? elements_moved(&p, steps[k], M) : 0;

                printf("ratio\t%s\t%zu\t%zu\t%zu\t%zu\t%.4f\n", steps[k]->name,
                       d, M, count, formula, (double)formula / standard);
            }
    bench_free(&p);
    return 0;
}

static void print_intensity(layer *p, const attention_step *step, size_t Br,
                            size_t Bc)
{
    size_t elements;

    p->each.Br = Br;
    p->each.Bc = Bc;
    elements = elements_moved(p, step, MEMORY_UNBOUNDED);
    printf("intensity\t%s\t%zu\t%zu\t%zu\t%.2f\n", step->name, Br, Bc, elements,
           bench_flops(p) / (2 * (double)elements));
}

int main(void)
{
    layer p;
    int failed = print_ratios(64) | print_ratios(128);

    if (bench_new(&p, (bench_shape){1, 1, N, 64}, false))
        return 1;
    print_intensity(&p, &chapter_04_steps[4], 1, 64); /* tiled: one query */
    print_intensity(&p, &chapter_04_steps[0], 1, 64); /* standard: no tiles */
    for (size_t Br = 16; Br <= 256; Br *= 2)
        print_intensity(&p, &chapter_06_steps[1], Br, 64);
    bench_free(&p);
    progress_done();
    return report_end(failed);
}
