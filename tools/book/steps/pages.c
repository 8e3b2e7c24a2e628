/*
 * The steppers by name (pages.h).
 */
#include "tools/book/steps/pages.h"

#include "tools/book/steps/draw.h"

static char page[1 << 21];
static text t;
static float scores[MOST_SCORES];
static online_steps online;
static tile_race both;
static warp_load warp;

const char *picture(void)
{
    return page;
}

static text *blank(void)
{
    t = text_in(page, sizeof page);
    return &t;
}

static size_t length(void)
{
    return t.full ? 0 : t.used;
}

float *scores_in(void)
{
    return scores;
}

size_t most_scores(void)
{
    return MOST_SCORES;
}

size_t show_online(size_t n, size_t shown)
{
    online_steps_of(&online, scores, n);
    draw_online(blank(), &online, min_size(shown, online.n));
    return length();
}

static size_t longer(void)
{
    return both.one.n > both.two.n ? both.one.n : both.two.n;
}

size_t run_tiles(size_t N, size_t d, size_t M)
{
    race(&both, N, d, M);
    return longer();
}

size_t show_tiles(size_t shown)
{
    draw_tiles(blank(), &both, shown);
    return length();
}

size_t run_backward(size_t N, size_t d, size_t M)
{
    race_back(&both, N, d, M);
    return longer();
}

size_t show_backward(size_t shown)
{
    draw_backward(blank(), &both, shown);
    return length();
}

size_t run_warp(size_t bytes, size_t row, size_t across, size_t swizzle)
{
    warp_load_of(&warp, bytes, row, across, swizzle);
    return warp.error[0] ? 0 : LANES;
}

size_t show_warp(size_t shown)
{
    draw_warp(blank(), &warp, shown);
    return length();
}

size_t run_pipeline(void)
{
    return pipeline_moments_n;
}

size_t show_pipeline(size_t shown)
{
    draw_pipeline(blank(), shown);
    return length();
}
