/*
 * S as a square of tiles, numbered in the order of their visits, and what has
 * crossed HBM so far: FlashAttention by columns, FlashAttention-2 by rows.
 */
#include "tools/book/steps/draw.h"

#include "05_flash1/steps.h"
#include "06_flash2/steps.h"

void race(tile_race *r, size_t N, size_t d, size_t M)
{
    static const attention_step one = {
        .run = flash1, .tiles = flash1_tiles, .formula = flash1_traffic};
    static const attention_step two = {
        .run = flash2, .tiles = flash2_tiles, .formula = flash2_traffic};

    r->N = N;
    r->d = d;
    r->M = M;
    tile_steps_of(&r->flash1, &one, N, d, M);
    tile_steps_of(&r->flash2, &two, N, d, M);
}

static double standard(const tile_race *r)
{
    double N = (double)r->N, d = (double)r->d;

    return 4 * N * d + 4 * N * N;
}

static double moved(const tile_steps *all, size_t shown)
{
    if (shown == 0)
        return 0;
    return all->visit[shown - 1].read + all->visit[shown - 1].written;
}

/* What has crossed so far, over what standard attention moves in all. */
static void traffic(text *t, const char *title, double so_far, double total,
                    double most)
{
    text_add(t,
             "<div class=\"meter %s\"><span>%s</span><span class=\"track\">"
             "<span class=\"all\" style=\"width:%.2f%%\"></span>"
             "<span class=\"far\" style=\"width:%.2f%%\"></span></span></div>"
             "\n",
             title, title, 100 * total / most, 100 * so_far / most);
}

static void line(text *t, const char *what, size_t a, size_t b)
{
    text_add(t, "<tr><th>%s</th><td>%s</td><td>%s</td></tr>\n", what,
             grouped_of(a).text, grouped_of(b).text);
}

static void numbers(text *t, const tile_race *r, size_t a, size_t b)
{
    const tile_steps *one = &r->flash1, *two = &r->flash2;
    const tile_visit zero = {0};
    const tile_visit *v = a ? &one->visit[a - 1] : &zero;
    const tile_visit *w = b ? &two->visit[b - 1] : &zero;

    text_add(t, "<div class=\"scroll\"><table class=\"states\">\n<tr><th>"
                "counted</th><th>FlashAttention</th><th>FlashAttention-2"
                "</th></tr>\n");
    line(t, "visits so far", a, b);
    line(t, "read so far", (size_t)v->read, (size_t)w->read);
    line(t, "written so far", (size_t)v->written, (size_t)w->written);
    line(t, "visits in all", one->n, two->n);
    line(t, "moved in all, counted",
         (size_t)(one->read[ALGORITHM] + one->written[ALGORITHM]),
         (size_t)(two->read[ALGORITHM] + two->written[ALGORITHM]));
    line(t, "moved in all, by formula", (size_t)one->formula,
         (size_t)two->formula);
    line(t, "first values of O, l, m", (size_t)one->written[INIT],
         (size_t)two->written[INIT]);
    line(t, "L, where the formula leaves it out",
         (size_t)(one->read[LSE] + one->written[LSE]),
         (size_t)(two->read[LSE] + two->written[LSE]));
    line(t, "tiles on chip", (size_t)one->on_chip, (size_t)two->on_chip);
    text_add(t,
             "<tr><th>over standard attention’s %s</th><td>%.3f</td>"
             "<td>%.3f</td></tr>\n</table></div>\n",
             grouped_of((size_t)standard(r)).text, one->formula / standard(r),
             two->formula / standard(r));
}

void draw_tiles(text *t, const tile_race *r, size_t shown)
{
    size_t a = min_size(shown, r->flash1.n), b = min_size(shown, r->flash2.n);
    double most = standard(r);
    const char *error = r->flash1.error[0] ? r->flash1.error : r->flash2.error;

    if (error[0]) {
        text_add(t, "<p class=\"error\">%s</p>\n", error);
        return;
    }
    if (r->flash1.formula > most)
        most = r->flash1.formula;
    if (r->flash2.formula > most)
        most = r->flash2.formula;
    text_add(t, "<div class=\"grids\">\n");
    draw_grid(t, &r->flash1, "FlashAttention", r->N, a);
    draw_grid(t, &r->flash2, "FlashAttention-2", r->N, b);
    text_add(t, "</div>\n<div class=\"meters\">\n");
    traffic(t, "standard", standard(r), standard(r), most);
    traffic(t, "FlashAttention", moved(&r->flash1, a), r->flash1.formula, most);
    traffic(t, "FlashAttention-2", moved(&r->flash2, b), r->flash2.formula,
            most);
    text_add(t, "</div>\n");
    numbers(t, r, a, b);
}
