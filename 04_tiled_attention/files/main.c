/*
 * The program that `./run` of chapter 04 becomes for files and for lines of
 * --csv. docs/04_tiled_attention.md
 */
#include "04_tiled_attention/steps.h"
#include "common/program/attention_program.h"

int main(int argc, char **argv)
{
    static const attention_step *const before[] = {NULL};
    static const attention_chapter chapter = {
        .about = "Chapter 04's attention over files, and lines for plots.",
        .example = "./run --sweep n --step tiled_attention --csv",
        .before = before,
        .own = chapter_04_steps,
        .reading = 4, /* tiled_attention */
        .one_query = true,
        .files = attention_files,
    };

    return attention_program(&chapter, argc, argv);
}
