/*
 * The program that `./run --in X.npy` of chapter 03 becomes: softmax over a
 * file. docs/03_online_softmax.md
 */
#include "03_online_softmax/steps.h"
#include "common/program/softmax_program.h"

int main(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .about = "Chapter 03's softmax over the last axis of a file.",
        .example = "./run --in common/data/q.npy --out build/y.npy",
        .steps = chapter_03_steps,
        .in_blocks = "merged_softmax",
        .files = softmax_files,
    };

    return softmax_program(&chapter, argc, argv);
}
