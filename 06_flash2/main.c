/*
 * The program of chapter 06: FlashAttention-2 against FlashAttention, one
 * change at a time. docs/06_flash2.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/backward/program.h"
#include "06_flash2/steps.h"
#include "common/program/attention_program.h"
#include "common/print/report.h"

/* What is charged beside the two matrix products. */
static size_t non_matmul(const measurement *m)
{
    return m->counted.exps + m->counted.rescales + m->counted.divisions;
}

/* All that crosses HBM for one kernel, over another's. */
static double over(const measurement m[], attention_fn *a, attention_fn *b)
{
    return (double)counts_crossed(measured(m, a)->counted) /
           (double)counts_crossed(measured(m, b)->counted);
}

static int lesson(const layer *p, size_t M, const measurement m[])
{
    (void)p;
    (void)M;
    prose("Divided once, not once per tile: of %s operations beside the matrix "
          "products flash2_deferred has %s left. Loops swapped, O, m and l "
          "stay on chip: init and L included, flash2 moves %.1f%% of what "
          "flash1 moves, and %.1f%% of standard. (Its tiles have fewer keys, "
          "so it rescales more often.)",
          count_text(non_matmul(measured(m, flash1))).text,
          count_text(non_matmul(measured(m, flash2_deferred))).text,
          100 * over(m, flash2, flash1),
          100 * over(m, flash2, standard_attention));
    prose("Scalar C is bound by arithmetic; what the swap buys it is that rows "
          "are independent: flash2_parallel shares them out to all cores, bit "
          "for bit, flash2_lanes and flash2_simd to the lanes of a vector. "
          "split_kv shares out the keys, for few queries, and moves %.1f times "
          "as much.",
          over(m, split_kv, flash2));
    return 0;
}

int main(int argc, char **argv)
{
    static const attention_step *const before[] = {&standard_step,
                                                   chapter_05_steps, NULL};
    static const way forward = {
        .about =
            "FlashAttention-2: divide once, swap the loops, use all cores.\n"
            "(--backward: its gradients; ./run --backward --help)",
        .example = "./run --q common/data/q.npy --k common/data/k.npy \\\n"
                   "        --v common/data/v.npy --step flash2_parallel "
                   "--out build/O.npy",
        .before = before,
        .own = chapter_06_steps,
        .also = chapter_06_variants,
        .reading = 1, /* flash2 */
        .lesson = lesson,
        .next = "./run --trace, then make chapter-07: the same on a GPU",
        .trace = trace_flash2,
    };

    return attention_program(&forward, &flash2_back, argc, argv);
}
