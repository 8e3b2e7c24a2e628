/*
 * The steppers' pictures without a browser: what make book puts on a page for
 * a reader without JavaScript, and what make book-test holds the browser's
 * against.
 *
 *     build/book/steps online SHOWN X...
 *     build/book/steps tiles SHOWN N d M
 *
 * SHOWN keys or visits are drawn; all: every one.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/book/steps/draw.h"

static char page[1 << 21];

static size_t shown_of(const char *word)
{
    return strcmp(word, "all") == 0 ? SIZE_MAX : strtoul(word, NULL, 10);
}

static void online(text *t, size_t shown, char **words, size_t n)
{
    static online_steps all;
    float x[MOST_SCORES];

    n = min_size(n, MOST_SCORES);
    for (size_t i = 0; i < n; i++)
        x[i] = strtof(words[i], NULL);
    online_steps_of(&all, x, n);
    draw_online(t, &all, min_size(shown, n));
}

static void tile_pictures(text *t, size_t shown, char **words)
{
    static tile_race r;

    race(&r, strtoul(words[0], NULL, 10), strtoul(words[1], NULL, 10),
         strtoul(words[2], NULL, 10));
    draw_tiles(t, &r, shown);
}

int main(int argc, char **argv)
{
    text t = text_in(page, sizeof page);

    if (argc > 3 && strcmp(argv[1], "online") == 0)
        online(&t, shown_of(argv[2]), argv + 3, (size_t)argc - 3);
    else if (argc == 6 && strcmp(argv[1], "tiles") == 0)
        tile_pictures(&t, shown_of(argv[2]), argv + 3);
    else {
        fprintf(stderr, "steps: online SHOWN X... or tiles SHOWN N d M\n");
        return 2;
    }
    fputs(page, stdout);
    return t.full;
}
