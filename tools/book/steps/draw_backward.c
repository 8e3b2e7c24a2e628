/*
 * The way back: FlashAttention-2's one kernel, through which dQ travels, beside
 * the two kernels, in which every gradient stays until it is done.
 */
#include "tools/book/steps/draw.h"

#include "06_flash2/backward/steps.h"

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
    backward_steps_of(&r->flash1, &one, N, d, M);
    backward_steps_of(&r->flash2, &two, N, d, M);
}

static void line(text *t, const char *what, double a, double b)
{
    text_add(t, "<tr><th>%s</th><td>%s</td><td>%s</td></tr>\n", what,
             grouped_of((size_t)a).text, grouped_of((size_t)b).text);
}

typedef struct {
    double visits, dQ, dKV, read, written;
} so_far;

static so_far after(const tile_steps *all, size_t shown)
{
    so_far s = {.visits = (double)shown};

    for (size_t k = 0; k < shown; k++) {
        s.dQ += all->visit[k].wrote_rows;
        s.dKV += all->visit[k].wrote_columns;
        s.read = all->visit[k].read;
        s.written = all->visit[k].written;
    }
    return s;
}

/* What the visit that is shown last does, in words. */
static void told(text *t, const char *kernel, const tile_steps *all,
                 size_t shown)
{
    const tile_visit *v = shown ? &all->visit[shown - 1] : NULL;

    text_add(t, "<p><b>%s</b>: ", kernel);
    if (v)
        text_add(t, "queries %u to %u meet keys %u to %u; %s.</p>\n", v->i0,
                 v->i1 - 1, v->j0, v->j1 - 1,
                 v->wrote_rows && v->wrote_columns ? "dQ, dK and dV are written"
                 : v->wrote_rows                   ? "dQ is written"
                 : v->wrote_columns                ? "dK and dV are written"
                                                   : "nothing is written yet");
    else
        text_add(t, "nobody has met.</p>\n");
}

void draw_backward(text *t, const tile_race *r, size_t shown)
{
    const tile_steps *one = &r->flash1, *two = &r->flash2;
    size_t a = min_size(shown, one->n), b = min_size(shown, two->n);
    so_far x = after(one, a), y = after(two, b);
    const char *error = one->error[0] ? one->error : two->error;

    if (error[0]) {
        text_add(t, "<p class=\"error\">%s</p>\n", error);
        return;
    }
    text_add(t, "<div class=\"grids\">\n");
    draw_grid(t, one, "One kernel", r->N, a);
    draw_grid(t, two, "Two kernels", r->N, b);
    text_add(t, "</div>\n");
    told(t, "One kernel", one, a);
    told(t, "Two kernels", two, b);
    text_add(t, "<div class=\"scroll\"><table class=\"states\">\n<tr><th>"
                "counted</th><th>one kernel</th><th>two kernels</th></tr>\n");
    line(t, "visits so far", x.visits, y.visits);
    line(t, "tiles of dQ written so far", x.dQ, y.dQ);
    line(t, "tiles of dK and dV written so far", x.dKV, y.dKV);
    line(t, "elements read so far", x.read, y.read);
    line(t, "elements written so far", x.written, y.written);
    line(t, "visits in all", (double)one->n, (double)two->n);
    line(t, "moved in all, counted",
         one->read[ALGORITHM] + one->written[ALGORITHM],
         two->read[ALGORITHM] + two->written[ALGORITHM]);
    line(t, "moved in all, by formula", one->formula, two->formula);
    line(t, "first values of dQ", one->written[INIT], two->written[INIT]);
    line(t, "tiles on chip", one->on_chip, two->on_chip);
    text_add(t, "</table></div>\n");
}
