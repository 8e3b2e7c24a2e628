/*
 * Two kernels side by side: S as a square of tiles, numbered in the order of
 * their visits, and what has crossed HBM so far.
 */
#include "tools/book/steps/draw.h"

#include "05_flash1/steps.h"
#include "06_flash2/backward/steps.h"
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
    tile_steps_of(&r->one, &one, NULL, N, d, M);
    tile_steps_of(&r->two, &two, NULL, N, d, M);
}

void race_back(tile_race *r, size_t N, size_t d, size_t M)
{
    static const backward_step one = {.run = flash2_backward,
                                      .tiles = flash2_backward_tiles,
                                      .formula = flash2_backward_traffic};
    static const backward_step two = {.run = two_kernel_backward,
                                      .tiles = two_kernel_tiles,
                                      .formula = two_kernel_traffic};

    r->N = N;
    r->d = d;
    r->M = M;
    tile_steps_of(&r->one, NULL, &one, N, d, M);
    tile_steps_of(&r->two, NULL, &two, N, d, M);
}

/* Both grids, or why there are none: then false. */
static bool grids(text *t, const tile_race *r, const char *first,
                  const char *second, size_t shown)
{
    const char *error = r->one.error[0] ? r->one.error : r->two.error;

    if (error[0]) {
        text_add(t, "<p class=\"error\">%s</p>\n", error);
        return false;
    }
    text_add(t, "<div class=\"grids\">\n");
    draw_grid(t, &r->one, first, r->N, min_size(shown, r->one.n));
    draw_grid(t, &r->two, second, r->N, min_size(shown, r->two.n));
    text_add(t, "</div>\n");
    return true;
}

/* The visit that is shown last, or one in which nothing has moved yet. */
static tile_visit last_of(const tile_steps *all, size_t shown)
{
    shown = min_size(shown, all->n);
    return shown ? all->visit[shown - 1] : (tile_visit){0};
}

static double counted(const tile_steps *all, book b)
{
    return all->read[b] + all->written[b];
}

/* What is the same in both races: the whole, after what has moved so far. */
static void totals(text *t, const tile_race *r, const char *first_values)
{
    const tile_steps *one = &r->one, *two = &r->two;

    text_row(t, "visits in all", (double)one->n, (double)two->n);
    text_row(t, "moved in all, counted", counted(one, ALGORITHM),
             counted(two, ALGORITHM));
    text_row(t, "moved in all, by formula", one->formula, two->formula);
    text_row(t, first_values, one->written[INIT], two->written[INIT]);
    text_row(t, "tiles on chip", one->on_chip, two->on_chip);
}

/* --- The way there ---------------------------------------------------------- */

/* What has crossed so far, over what standard attention moves in all. */
static void meter(text *t, const char *title, double so_far, double total,
                  double most)
{
    text_add(t,
             "<div class=\"meter %s\"><span>%s</span><span class=\"track\">"
             "<span class=\"all\" style=\"width:%.2f%%\"></span>"
             "<span class=\"far\" style=\"width:%.2f%%\"></span></span></div>"
             "\n",
             title, title, 100 * total / most, 100 * so_far / most);
}

void draw_tiles(text *t, const tile_race *r, size_t shown)
{
    const tile_steps *one = &r->one, *two = &r->two;
    tile_visit a = last_of(one, shown), b = last_of(two, shown);
    double N = (double)r->N, d = (double)r->d;
    double standard = 4 * N * d + 4 * N * N, most = standard;

    if (!grids(t, r, "FlashAttention", "FlashAttention-2", shown))
        return;
    if (one->formula > most)
        most = one->formula;
    if (two->formula > most)
        most = two->formula;
    text_add(t, "<div class=\"meters\">\n");
    meter(t, "standard", standard, standard, most);
    meter(t, "FlashAttention", a.read + a.written, one->formula, most);
    meter(t, "FlashAttention-2", b.read + b.written, two->formula, most);
    text_add(t, "</div>\n");
    text_table(t, "counted", "FlashAttention", "FlashAttention-2");
    text_row(t, "visits so far", (double)min_size(shown, one->n),
             (double)min_size(shown, two->n));
    text_row(t, "read so far", a.read, b.read);
    text_row(t, "written so far", a.written, b.written);
    totals(t, r, "first values of O, l, m");
    text_row(t, "L, where the formula leaves it out", counted(one, LSE),
             counted(two, LSE));
    text_add(t,
             "<tr><th>over standard attention’s %.0f</th><td>%.3f</td>"
             "<td>%.3f</td></tr>\n</table></div>\n",
             standard, one->formula / standard, two->formula / standard);
}

/* --- The way back ----------------------------------------------------------- */

/* What the visit that is shown last does, in words. */
static void told(text *t, const char *kernel, const tile_visit *v)
{
    if (v->i1 == 0) {
        text_add(t, "<p><b>%s</b>: nobody has met.</p>\n", kernel);
        return;
    }
    text_add(t, "<p><b>%s</b>: queries %u to %u meet keys %u to %u; %s.</p>\n",
             kernel, v->i0, v->i1 - 1, v->j0, v->j1 - 1,
             v->wrote_rows && v->wrote_columns ? "dQ, dK and dV are written"
             : v->wrote_rows                   ? "dQ is written"
             : v->wrote_columns                ? "dK and dV are written"
                                               : "nothing is written yet");
}

static double writes(const tile_steps *all, size_t shown, bool of_rows)
{
    double n = 0;

    for (size_t k = 0; k < min_size(shown, all->n); k++)
        n += of_rows ? all->visit[k].wrote_rows : all->visit[k].wrote_columns;
    return n;
}

void draw_backward(text *t, const tile_race *r, size_t shown)
{
    const tile_steps *one = &r->one, *two = &r->two;
    tile_visit a = last_of(one, shown), b = last_of(two, shown);

    if (!grids(t, r, "One kernel", "Two kernels", shown))
        return;
    told(t, "One kernel", &a);
    told(t, "Two kernels", &b);
    text_table(t, "counted", "one kernel", "two kernels");
    text_row(t, "visits so far", (double)min_size(shown, one->n),
             (double)min_size(shown, two->n));
    text_row(t, "tiles of dQ written so far", writes(one, shown, true),
             writes(two, shown, true));
    text_row(t, "tiles of dK and dV written so far", writes(one, shown, false),
             writes(two, shown, false));
    text_row(t, "elements read so far", a.read, b.read);
    text_row(t, "elements written so far", a.written, b.written);
    totals(t, r, "first values of dQ");
    text_add(t, "</table></div>\n");
}
