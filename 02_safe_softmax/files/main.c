/*
 * The program that `./run --in X.npy` of chapter 02 becomes: softmax over a
 * file. docs/02_safe_softmax.md
 */
#include "02_safe_softmax/steps.h"
#include "common/program/softmax_program.h"

int main(int argc, char **argv)
{
    static const softmax_chapter chapter = {
        .about = "Chapter 02's softmax over the last axis of a file.",
        .example = "./run --in common/data/q.npy --out build/y.npy",
        .steps = chapter_02_steps,
        .files = softmax_files,
    };

    return softmax_program(&chapter, argc, argv);
}
