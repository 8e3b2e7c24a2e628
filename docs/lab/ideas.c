/*
 * What each idea of flash2_simd is worth: the same file compiled again with one
 * of them taken out (docs/lab/without), its speed in percent of the whole's.
 *
 *     build/docs/lab/ideas > docs/results/ideas.tsv
 *
 * On one thread. Rounds of all in turn; the median over the rounds of the
 * whole's time over the other's.
 */
#include <stdio.h>

#include "06_flash2/fast/query_blocks.h"
#include "common/print/report.h"
#include "common/speed/targets.h"
#include "common/threads.h"
#include "docs/lab/bench_problem.h"

#define EACH_IDEA                                                              \
    IDEA(nothing)                                                              \
    IDEA(vector_exp)                                                           \
    IDEA(side_by_side)                                                         \
    IDEA(registers)                                                            \
    IDEA(prefetch)                                                             \
    IDEA(transposing)

#define IDEA(idea)                                                             \
    extern const block_kernel flash2_simd_without_##idea;                      \
    static int run_##idea(const attention_step *step, const layer *l,          \
                          memory *mem)                                         \
    {                                                                          \
        (void)step;                                                            \
        return attend_blocks(&flash2_simd_without_##idea, l, mem);             \
    }
EACH_IDEA
#undef IDEA

#define IDEA(idea) {.name = #idea, .run_layer = run_##idea},
static const attention_step ideas[] = {EACH_IDEA};
#undef IDEA

enum { IDEAS = sizeof ideas / sizeof *ideas, ROUNDS = 15 };

static int print_ideas(bench_shape shape)
{
    double ratio[IDEAS][ROUNDS];
    bench_problem w;
    const layer *p = &w.b.forward.problem;
    int failed = bench_new(&w, shape, FORWARD);

    for (size_t k = 0; k < IDEAS && !failed; k++) {
        failed = bench_run(p, &ideas[k]) < 0; /* and a warm-up */
        if (!(bench_error(&w) < 1e-6))
            failed = 1;
    }
    for (size_t r = 0; r < ROUNDS && !failed; r++) {
        double whole = bench_run(p, &ideas[0]);

        progress("N %zu: round %zu of %d", p->each.Nq, r + 1, ROUNDS);
        for (size_t k = 0; k < IDEAS; k++)
            ratio[k][r] = whole / bench_run(p, &ideas[k]);
    }
    progress_done();
    for (size_t k = 0; k < IDEAS && !failed; k++)
        printf("%s\t%zu\t%zu\t%zu\t%zu\t%d\t%.1f\n", ideas[k].name, p->B, p->Hq,
               p->each.Nq, p->each.d, p->each.causal,
               100 * quantile(ratio[k], ROUNDS, 0.5));
    bench_free(&w);
    return failed;
}

int main(void)
{
    int failed = 0;

    use_threads(1);
    printf("without\tB\tH\tN\td\tcausal\tpercent\n");
    failed |= print_ideas((bench_shape){1, 8, 1024, 64, false});
    failed |= print_ideas((bench_shape){1, 8, 1024, 64, true});
    failed |= print_ideas((bench_shape){1, 4, 2048, 128, false});
    failed |= print_ideas((bench_shape){16, 12, 64, 64, false});
    if (failed)
        fprintf(stderr, "ideas: a kernel failed, or is wrong\n");
    return report_end(failed);
}
