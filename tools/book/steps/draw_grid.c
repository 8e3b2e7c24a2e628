/*
 * S as a square of tiles, numbered in the order of their visits. On the way
 * back a bar left of it marks the rows whose dQ a visit writes, and one below
 * the columns whose dK and dV it writes: dark now, light before.
 */
#include "tools/book/steps/draw.h"

enum { NUMBERED = 100 };

static const double SIDE = 256, LEFT = 34, TOP = 30;

static void tile(text *t, const tile_steps *all, size_t k, size_t N, bool now)
{
    const tile_visit *v = &all->visit[k];
    double scale = SIDE / (double)N;
    double x = LEFT + scale * v->j0, width = scale * (v->j1 - v->j0);
    double y = TOP + scale * v->i0, height = scale * (v->i1 - v->i0);
    const char *written = now ? "wrote now" : "wrote";

    text_rect(t, now ? "tile now" : "tile", x, y, width, height);
    if (all->n <= NUMBERED)
        text_add(t,
                 "<text class=\"%s\" x=\"%.1f\" y=\"%.1f\" "
                 "text-anchor=\"middle\">%zu</text>\n",
                 now ? "nth now" : "nth", x + width / 2, y + height / 2 + 4,
                 k + 1);
    if (v->wrote_rows)
        text_rect(t, written, LEFT - 9, y, 6, height);
    if (v->wrote_columns)
        text_rect(t, written, x, TOP + SIDE + 3, width, 6);
}

void draw_grid(text *t, const tile_steps *all, const char *title, size_t N,
               size_t shown)
{
    text_add(t,
             "<figure><svg role=\"img\" viewBox=\"0 0 300 296\" "
             "aria-label=\"The tiles that %s has visited\">\n"
             "<text x=\"34\" y=\"20\">keys →</text>"
             "<text x=\"-34\" y=\"22\" transform=\"rotate(-90)\" "
             "text-anchor=\"end\">← queries</text>\n"
             "<rect class=\"frame\" x=\"34\" y=\"30\" width=\"256\" "
             "height=\"256\"/>\n",
             title);
    for (size_t k = 0; k < shown; k++)
        tile(t, all, k, N, k + 1 == shown);
    text_add(t,
             "</svg><figcaption>%s: Br = %zu, Bc = %zu</figcaption>"
             "</figure>\n",
             title, all->tiles.Br, all->tiles.Bc);
}
