/*
 * The program that `./run` of chapter 05 becomes when it is asked something:
 * other problems, one step, files, lines for plots. docs/05_flash1.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/program/attention_program.h"
#include "common/program/become.h"

int main(int argc, char **argv)
{
    static const attention_step standard = STANDARD_ATTENTION;
    static const attention_step tiled = TILED_ATTENTION;
    static const attention_step *const before[] = {&standard, &tiled, NULL};
    static const attention_chapter chapter = {
        .about = "FlashAttention: queries share a tile of keys; O travels.\n"
                 "(--backward: its gradients; ./run --backward --help)",
        .example =
            "./run --q common/data/q.npy --k common/data/k.npy \\\n"
            "        --v common/data/v.npy --sram 4096 --out build/O.npy",
        .before = before,
        .own = chapter_05_steps,
    };

    if (asks_backward(argc, argv))
        return become("backward", argv);
    return attention_program(&chapter, argc, argv);
}
