/*
 * The program that `./run` of chapter 06 becomes when it is asked something:
 * other problems, one step, files, lines for plots. docs/06_flash2.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/program/attention_program.h"
#include "common/program/become.h"

int main(int argc, char **argv)
{
    static const attention_step standard = STANDARD_ATTENTION;
    static const attention_step *const before[] = {&standard, chapter_05_steps,
                                                   NULL};
    static const attention_chapter chapter = {
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
    };

    if (asks_backward(argc, argv))
        return become("backward", argv);
    return attention_program(&chapter, argc, argv);
}
