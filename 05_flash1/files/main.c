/*
 * The program that `./run` of chapter 05 becomes for files and for lines of
 * --csv. docs/05_flash1.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "common/program/attention_program.h"

int main(int argc, char **argv)
{
    static const attention_step standard = STANDARD_ATTENTION;
    static const attention_step tiled = TILED_ATTENTION;
    static const attention_step *const before[] = {&standard, &tiled, NULL};
    static const attention_chapter chapter = {
        .about = "Chapter 05's attention over files, and lines for plots.",
        .example = "./run --sweep n --step flash1 --csv",
        .before = before,
        .own = chapter_05_steps,
        .files = attention_files,
    };

    return attention_program(&chapter, argc, argv);
}
