/*
 * The steppers' pictures without a browser: what make book puts on a page for
 * a reader without JavaScript, and what make book-test holds the browser's
 * against.
 *
 *     build/book/steps online SHOWN X...
 *     build/book/steps tiles|backward SHOWN N d M
 *     build/book/steps warp SHOWN BYTES ROW ACROSS SWIZZLE
 *     build/book/steps pipeline SHOWN
 *
 * SHOWN keys, visits, lanes or moments are drawn; all: every one.
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

static size_t number(const char *word)
{
    return strtoul(word, NULL, 10);
}

static void tile_pictures(text *t, size_t shown, char **words)
{
    static tile_race r;

    race(&r, number(words[0]), number(words[1]), number(words[2]));
    draw_tiles(t, &r, shown);
}

static void backward_pictures(text *t, size_t shown, char **words)
{
    static tile_race r;

    race_back(&r, number(words[0]), number(words[1]), number(words[2]));
    draw_backward(t, &r, shown);
}

static void warp_pictures(text *t, size_t shown, char **words)
{
    warp_load w;

    warp_load_of(&w, number(words[0]), number(words[1]), number(words[2]),
                 number(words[3]));
    draw_warp(t, &w, shown);
}

int main(int argc, char **argv)
{
    text t = text_in(page, sizeof page);
    const char *kind = argc > 2 ? argv[1] : "";
    size_t shown = argc > 2 ? shown_of(argv[2]) : 0;

    if (argc > 3 && strcmp(kind, "online") == 0)
        online(&t, shown, argv + 3, (size_t)argc - 3);
    else if (argc == 6 && strcmp(kind, "tiles") == 0)
        tile_pictures(&t, shown, argv + 3);
    else if (argc == 6 && strcmp(kind, "backward") == 0)
        backward_pictures(&t, shown, argv + 3);
    else if (argc == 7 && strcmp(kind, "warp") == 0)
        warp_pictures(&t, shown, argv + 3);
    else if (argc == 3 && strcmp(kind, "pipeline") == 0)
        draw_pipeline(&t, shown);
    else {
        fprintf(stderr, "steps: online SHOWN X..., tiles or backward SHOWN N d "
                        "M, warp SHOWN BYTES ROW ACROSS SWIZZLE, or pipeline "
                        "SHOWN\n");
        return 2;
    }
    fputs(page, stdout);
    return t.full;
}
