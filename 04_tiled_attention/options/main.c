/*
 * The program that `./run` of chapter 04 becomes when it is asked something:
 * other problems, one step, files, lines for plots. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"
#include "common/program/attention_program.h"

int main(int argc, char **argv)
{
    static const attention_step *const before[] = {NULL};
    static const attention_chapter chapter = {
        .about = "Attention, from S stored in HBM to a tile of keys at a time.",
        .example = "./run --q common/data/q.npy --k common/data/k.npy \\\n"
                   "        --v common/data/v.npy --causal --bc 64 --out "
                   "build/O.npy",
        .before = before,
        .own = chapter_04_steps,
        .reading = 4, /* tiled_attention */
        .one_query = true,
    };

    return attention_program(&chapter, argc, argv);
}
