/*
 * What standard attention, FlashAttention and FlashAttention-2 move through
 * HBM against each of N, M and d, the other two held: by formula, and counted
 * while the kernels run where that takes no time.
 *
 *     make lab-sizes
 *
 * Lines: what changes (N, M or d), its value, step, elements by formula,
 * counted (0 for what was not run).
 */
#include <stdio.h>

#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/print/report.h"
#include "docs/lab/bench_problem.h"
#include "docs/lab/elements.h"

typedef struct {
    size_t N, M, d;
} sizes;

static const sizes held = {1024, 16384, 64};

static const attention_step *const steps[] = {
    &chapter_04_steps[0], &chapter_05_steps[0], &chapter_06_steps[1]};

static int print_steps(const char *axis, size_t value, sizes s, bool run)
{
    layer p;

    progress("%s = %zu", axis, value);
    if (bench_new(&p, (bench_shape){1, 1, s.N, s.d}, false))
        return 1;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; k++)
        printf("%s\t%zu\t%s\t%zu\t%zu\n", axis, value, steps[k]->name,
               counts_moved(heads_formula(&p, steps[k], s.M)),
               run ? elements_moved(&p, steps[k], s.M) : 0);
    bench_free(&p);
    return 0;
}

int main(void)
{
    int failed = 0;

    for (size_t N = 64; N <= 65536; N *= 2) {
        sizes s = held;

        s.N = N;
        failed |= print_steps("N", N, s, N <= 1024);
    }
    for (size_t M = 1024; M <= 262144; M *= 2) {
        sizes s = held;

        s.M = M;
        failed |= print_steps("M", M, s, M >= 8192);
    }
    for (size_t d = 8; d <= 256; d *= 2) {
        sizes s = held;

        s.d = d;
        failed |= print_steps("d", d, s, d <= 128);
    }
    progress_done();
    return report_end(failed);
}
