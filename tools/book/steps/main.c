/*
 * The steppers' pictures without a browser: what make book puts on a page for
 * a reader without JavaScript, and what make book-test compares the browser's
 * with.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/book/steps/steps.h"

static const char usage[] =
    "steps online SHOWN X...\n"
    "steps tiles|backward SHOWN N d M\n"
    "steps warp SHOWN BYTES ROW ACROSS SWIZZLE\n"
    "steps pipeline SHOWN\n"
    "SHOWN keys, visits, lanes or moments are drawn; all: every one.\n";

int main(int argc, char **argv)
{
    const char *kind = argc > 2 ? argv[1] : "";
    bool all = argc > 2 && strcmp(argv[2], "all") == 0;
    size_t shown = argc > 2 && !all ? strtoul(argv[2], NULL, 10) : SIZE_MAX;
    size_t n = 0, number[4] = {0}, drawn = 0;

    for (; n + 3 < (size_t)argc && n < most_scores(); n++) {
        scores_in()[n] = strtof(argv[n + 3], NULL);
        if (n < 4)
            number[n] = strtoul(argv[n + 3], NULL, 10);
    }
    if (n > 0 && strcmp(kind, "online") == 0) {
        drawn = show_online(n, shown);
    } else if (n == 3 && strcmp(kind, "tiles") == 0) {
        run_tiles(number[0], number[1], number[2]);
        drawn = show_tiles(shown);
    } else if (n == 3 && strcmp(kind, "backward") == 0) {
        run_backward(number[0], number[1], number[2]);
        drawn = show_backward(shown);
    } else if (n == 4 && strcmp(kind, "warp") == 0) {
        run_warp(number[0], number[1], number[2], number[3]);
        drawn = show_warp(shown);
    } else if (n == 0 && strcmp(kind, "pipeline") == 0) {
        drawn = show_pipeline(shown);
    }
    fputs(drawn ? picture() : usage, drawn ? stdout : stderr);
    return drawn == 0;
}
