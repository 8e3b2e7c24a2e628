/*
 * The program that `./run` of chapter 06 becomes for files and for lines of
 * --csv. docs/06_flash2.md
 */
#include "04_tiled_attention/steps.h"
#include "05_flash1/steps.h"
#include "06_flash2/steps.h"
#include "common/program/attention_program.h"

int main(int argc, char **argv)
{
    static const attention_step standard = STANDARD_ATTENTION;
    static const attention_step *const before[] = {&standard, chapter_05_steps,
                                                   NULL};
    static const attention_chapter chapter = {
        .about = "Chapter 06's attention over files, and lines for plots.",
        .example = "./run --sweep n --step flash2 --csv",
        .before = before,
        .own = chapter_06_steps,
        .also = chapter_06_variants,
        .reading = 1, /* flash2 */
        .files = attention_files,
    };

    return attention_program(&chapter, argc, argv);
}
