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
    static const char *const names[] = {"online", "tiles", "backward", "warp",
                                        "pipeline"};
    static const size_t least[] = {1, 3, 3, 4, 0};
    static const size_t most[] = {MOST_NUMBERS, 3, 3, 4, 0};
    bool all = argc > 2 && strcmp(argv[2], "all") == 0;
    size_t n = 0, drawn = 0;

    for (; n + 3 < (size_t)argc && n < MOST_NUMBERS; n++)
        numbers[n] = strtof(argv[n + 3], NULL);
    for (stepper k = ONLINE; argc > 2 && k <= PIPELINE; k++) {
        if (strcmp(argv[1], names[k]) == 0 && n >= least[k] && n <= most[k]) {
            run(k, n);
            drawn = draw(all ? SIZE_MAX : strtoul(argv[2], NULL, 10));
        }
    }
    fputs(drawn ? picture : usage, drawn ? stdout : stderr);
    return drawn == 0;
}
