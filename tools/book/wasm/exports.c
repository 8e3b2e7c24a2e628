/*
 * What a page calls: it writes scores, or passes N, d and M, and reads back
 * the picture as text.
 */
#include "tools/book/steps/draw.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static char page[1 << 21];
static float scores[MOST_SCORES];
static online_steps online;
static tile_race tiles_of_both;

const char *EXPORT(picture)(void)
{
    return page;
}

float *EXPORT(scores_in)(void)
{
    return scores;
}

size_t EXPORT(most_scores)(void)
{
    return MOST_SCORES;
}

/* n scores are in scores_in(); returns the picture's length in bytes. */
size_t EXPORT(online_picture)(size_t n, size_t shown)
{
    text t = text_in(page, sizeof page);

    online_steps_of(&online, scores, n);
    draw_online(&t, &online, min_size(shown, online.n));
    return t.used;
}

/* Runs both kernels; returns how many visits the longer one makes. */
size_t EXPORT(tiles_run)(size_t N, size_t d, size_t M)
{
    size_t a, b;

    race(&tiles_of_both, N, d, M);
    a = tiles_of_both.flash1.n;
    b = tiles_of_both.flash2.n;
    return a > b ? a : b;
}

size_t EXPORT(tiles_picture)(size_t shown)
{
    text t = text_in(page, sizeof page);

    draw_tiles(&t, &tiles_of_both, shown);
    return t.used;
}
