/*
 * A bar for each key: l after that key, as the sum of what all keys so far
 * add. Where the maximum grew, the dashed outline is l before its rescaling.
 */
#include "tools/book/steps/draw.h"

#include <math.h>

enum { ROW = 34, HIGH = 18 };

static const double LEFT = 84, WIDE = 330;

/* Elements of l to points, so that the longest l or old l is WIDE. */
static double scale_of(const online_steps *all)
{
    float most = 1;

    for (size_t k = 0; k < all->n; k++)
        most = fmaxf(most, all->step[k].l);
    return isfinite(most) ? WIDE / (double)most : 0;
}

static void bar(text *t, const online_steps *all, size_t k, double scale)
{
    const online_step *s = &all->step[k];
    double x = LEFT, y = (double)(k * ROW + 8);

    for (size_t j = 0; j <= k && isfinite(s->l); j++) {
        double width = scale * (double)online_share(all, j, k);

        text_rect(t, j == k ? "new" : "past", x, y, width, HIGH);
        x += width;
    }
    if (k > 0 && s->alpha < 1 && isfinite(s->l)) {
        double old = scale * (double)all->step[k - 1].l;

        text_rect(t, "was", LEFT, y, old, HIGH);
        x = fmax(x, LEFT + old);
    }
    text_add(t, "<text x=\"%.1f\" y=\"%.1f\">l = %.5f", x + 8, y + 14,
             (double)s->l);
    if (k > 0 && s->alpha < 1)
        text_add(t, ", past × %.5f", (double)s->alpha);
    text_add(t, "</text>\n");
}

static void picture(text *t, const online_steps *all, size_t shown)
{
    double scale = scale_of(all);

    text_add(t,
             "<div class=\"scroll\"><svg class=\"wide\" role=\"img\" "
             "viewBox=\"0 0 640 %zu\" aria-label=\"The sum l after each key, "
             "as a bar; the table below has the numbers\">\n",
             all->n * ROW + 6);
    for (size_t k = 0; k < all->n; k++) {
        text_add(t,
                 "<text class=\"%s\" x=\"76\" y=\"%zu\" "
                 "text-anchor=\"end\">%.3f</text>\n",
                 k < shown ? "score" : "score later", k * ROW + 22,
                 (double)all->step[k].x);
        if (k < shown)
            bar(t, all, k, scale);
    }
    text_add(t, "</svg></div>\n");
}

static void states(text *t, const online_steps *all, size_t shown)
{
    text_add(t, "<div class=\"scroll\"><table class=\"states\">\n<tr>"
                "<th>key</th><th>x</th><th>m</th><th>alpha</th>"
                "<th>e^(x − m)</th><th>l</th></tr>\n");
    for (size_t k = 0; k < shown; k++) {
        const online_step *s = &all->step[k];

        text_add(t,
                 "<tr%s><td>%zu</td><td>%.5f</td><td>%.5f</td><td>%.5f</td>"
                 "<td>%.5f</td><td>%.5f</td></tr>\n",
                 k + 1 == shown ? " class=\"now\"" : "", k + 1, (double)s->x,
                 (double)s->m, (double)s->alpha, (double)s->p, (double)s->l);
    }
    text_add(t, "</table></div>\n");
}

static void weights_of_all(text *t, const online_steps *all)
{
    text_add(t, "<p class=\"result\">Second pass, y = e^(x − m) / l:");
    for (size_t k = 0; k < all->n; k++)
        text_add(t, " %.5f", (double)all->y[k]);
    text_add(t, ". L = m + ln l = %.5f.</p>\n", (double)all->L);
}

void draw_online(text *t, const online_steps *all, size_t shown)
{
    picture(t, all, shown);
    states(t, all, shown);
    if (shown == all->n)
        weights_of_all(t, all);
}
