/*
 * What a page calls: it writes scores, or passes numbers, and reads back the
 * picture as text. What is run returns how many steps there are.
 */
#include "tools/book/steps/draw.h"

#define EXPORT(name) __attribute__((export_name(#name))) name

static char page[1 << 21];
static float scores[MOST_SCORES];
static online_steps online;
static tile_race tiles_of_both;
static warp_load warp;

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

static size_t longer(void)
{
    size_t a = tiles_of_both.flash1.n, b = tiles_of_both.flash2.n;

    return a > b ? a : b;
}

size_t EXPORT(tiles_run)(size_t N, size_t d, size_t M)
{
    race(&tiles_of_both, N, d, M);
    return longer();
}

size_t EXPORT(tiles_picture)(size_t shown)
{
    text t = text_in(page, sizeof page);

    draw_tiles(&t, &tiles_of_both, shown);
    return t.used;
}

size_t EXPORT(backward_run)(size_t N, size_t d, size_t M)
{
    race_back(&tiles_of_both, N, d, M);
    return longer();
}

size_t EXPORT(backward_picture)(size_t shown)
{
    text t = text_in(page, sizeof page);

    draw_backward(&t, &tiles_of_both, shown);
    return t.used;
}

size_t EXPORT(warp_run)(size_t bytes, size_t row, size_t across, size_t swizzle)
{
    warp_load_of(&warp, bytes, row, across, swizzle);
    return warp.error[0] ? 0 : LANES;
}

size_t EXPORT(warp_picture)(size_t shown)
{
    text t = text_in(page, sizeof page);

    draw_warp(&t, &warp, shown);
    return t.used;
}

size_t EXPORT(pipeline_run)(void)
{
    return pipeline_moments();
}

size_t EXPORT(pipeline_picture)(size_t shown)
{
    text t = text_in(page, sizeof page);

    draw_pipeline(&t, shown);
    return t.used;
}
