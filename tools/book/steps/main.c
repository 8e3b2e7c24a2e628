/*
 * The steppers' pictures without a browser: what make book puts on a page for
 * a reader without JavaScript, and what make book-test holds the browser's
 * against.
 *
 *     build/book_parts/steps online SHOWN X...
 *     build/book_parts/steps tiles|backward SHOWN N d M
 *     build/book_parts/steps warp SHOWN BYTES ROW ACROSS SWIZZLE
 *     build/book_parts/steps pipeline SHOWN
 *
 * SHOWN keys, visits, lanes or moments are drawn; all: every one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/book/steps/pages.h"

static size_t online(size_t shown, char **words, size_t n)
{
    if (n > most_scores())
        n = most_scores();
    for (size_t i = 0; i < n; i++)
        scores_in()[i] = strtof(words[i], NULL);
    return show_online(n, shown);
}

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    size_t shown = argc > 2 && strcmp(argv[2], "all") != 0
                       ? strtoul(argv[2], NULL, 10)
                       : SIZE_MAX;
    size_t number[4] = {0}, length = 0;

    for (int k = 0; k < 4 && k + 3 < argc; k++)
        number[k] = strtoul(argv[k + 3], NULL, 10);
    if (argc > 3 && strcmp(kind, "online") == 0) {
        length = online(shown, argv + 3, (size_t)argc - 3);
    } else if (argc == 6 && strcmp(kind, "tiles") == 0) {
        run_tiles(number[0], number[1], number[2]);
        length = show_tiles(shown);
    } else if (argc == 6 && strcmp(kind, "backward") == 0) {
        run_backward(number[0], number[1], number[2]);
        length = show_backward(shown);
    } else if (argc == 7 && strcmp(kind, "warp") == 0) {
        run_warp(number[0], number[1], number[2], number[3]);
        length = show_warp(shown);
    } else if (argc == 3 && strcmp(kind, "pipeline") == 0) {
        length = show_pipeline(shown);
    }
    if (length == 0)
        fprintf(stderr, "steps: online SHOWN X..., tiles or backward SHOWN N d "
                        "M, warp SHOWN BYTES ROW ACROSS SWIZZLE, or pipeline "
                        "SHOWN\n");
    fputs(picture(), stdout);
    return length == 0;
}
