/*
 * The program of chapter 06: FlashAttention-2 against FlashAttention, one
 * change at a time. docs/06_flash2.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "06_flash2/trace.h"
#include "common/attention_program.h"
#include "common/prose.h"
#include "common/report.h"

enum { STANDARD, FLASH1, DEFERRED, FLASH2, PARALLEL, LANES, SIMD, SPLIT_KV };

/* What is charged beside the two matrix products. */
static size_t non_matmul(const measurement *m)
{
    return m->counted.exps + m->counted.rescales + m->counted.divisions;
}

static void lesson(const attention_problem *p, size_t M, const measurement m[])
{
    double after = (double)moved(&m[FLASH2].counted, ALGORITHM);
    double split = (double)moved(&m[SPLIT_KV].counted, ALGORITHM);

    (void)p;
    (void)M;
    prose("One division at the end, not one a tile: of flash1's %s operations "
          "beside the matrix products flash2_deferred has %s. The loops "
          "swapped, O, m and l stay on chip: flash2 moves %.1f%% of what "
          "flash1 moves, %.1f%% of standard's; nothing is initialised in HBM, "
          "only O and L are written. (Its tiles have fewer keys, so it "
          "rescales more often: %s operations.)",
          count_text(non_matmul(&m[FLASH1])).text,
          count_text(non_matmul(&m[DEFERRED])).text,
          100 * after / (double)moved(&m[FLASH1].counted, ALGORITHM),
          100 * after / (double)moved(&m[STANDARD].counted, ALGORITHM),
          count_text(non_matmul(&m[FLASH2])).text);
    prose("Scalar C is bound by arithmetic, so what the swap buys here is that "
          "rows are independent: flash2_parallel shares them out to all cores, "
          "bit for bit the same. split_kv shares out the keys instead and "
          "moves %.1f times as much; it is for few queries (./run --n 1 --nk "
          "9999).",
          split / after);
}

int main(int argc, char **argv)
{
    static const attention_step *const before[] = {&chapter_04_steps[0],
                                                   chapter_05_steps, NULL};
    static const attention_chapter chapter = {
        .about =
            "FlashAttention-2: divide once, swap the loops, use all cores.",
        .example = "./run --q common/data/q.npy --k common/data/k.npy \\\n"
                   "        --v common/data/v.npy --step flash2_parallel "
                   "--out build/O.npy",
        .before = before,
        .own = chapter_06_steps,
        .reading = FLASH2 - DEFERRED,
        .lesson = lesson,
        .trace = trace_flash2,
        .next = "./run --trace, then make chapter-07: the same on a GPU",
    };

    return attention_program(&chapter, argc, argv);
}
