/*
 * Rung 10 up to a moment: who has worked when, what each role does and waits
 * for, and what is in the stages of shared memory.
 */
#include "tools/book/steps/draw.h"

enum { ROW = 26 };

static const double LEFT = 92, WIDE = 540;

/* --- The timeline ----------------------------------------------------------- */

static void box(text *t, const pipeline_box *b, int now, double scale)
{
    int row = b->kind == LOADS ? 0 : 2 * b->who - 1 + (b->kind == SOFTMAX);
    int to = b->to < now ? b->to : now;
    double x = LEFT + scale * b->from, width = scale * (to - b->from);

    text_rect(t,
              b->to > now           ? "tile now"
              : b->kind == PRODUCTS ? "tile"
                                    : "done",
              x, row * ROW + 6, width, 20);
    if (width > 18 && b->to <= now)
        text_add(t,
                 "<text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>",
                 x + width / 2, row * ROW + 20, b->label);
    text_add(t, "\n");
}

static void timeline(text *t, int now, int end)
{
    static const char *const row[] = {"TMA loads", "A products", "A softmax",
                                      "B products", "B softmax"};
    double scale = WIDE / end;

    text_add(t, "<div class=\"scroll\"><svg class=\"wide\" role=\"img\" "
                "viewBox=\"0 0 640 160\" aria-label=\"Who has worked when: "
                "loads, products and softmax of both consumers\">\n");
    for (int k = 0; k < 5; k++)
        text_add(t,
                 "<text x=\"84\" y=\"%d\" text-anchor=\"end\">%s</text>"
                 "<rect class=\"frame\" x=\"92\" y=\"%d\" width=\"540\" "
                 "height=\"20\"/>\n",
                 k * ROW + 20, row[k], k * ROW + 6);
    for (size_t k = 0; k < pipeline_boxes_n; k++)
        if (pipeline_boxes[k].from < now)
            box(t, &pipeline_boxes[k], now, scale);
    text_add(t,
             "<path class=\"here\" d=\"M %.1f 2 V 138\"/>"
             "<text x=\"%.1f\" y=\"154\" text-anchor=\"middle\">%d</text>\n"
             "</svg></div>\n",
             LEFT + scale * now, LEFT + scale * now, now);
}

/* --- Roles and stages -------------------------------------------------------- */

static void roles(text *t, const pipeline_moment *now)
{
    static const char *const role[] = {"producer", "consumer A", "consumer B"};

    text_add(t, "<div class=\"scroll\"><table class=\"roles\">\n<tr><th>role"
                "</th><th>did at this clock</th><th>and now</th></tr>\n");
    for (int k = 0; k < 3; k++)
        text_add(t, "<tr><th>%s</th><td>%s</td><td>%s</td></tr>\n", role[k],
                 now->roles[2 * k], now->roles[2 * k + 1]);
    text_add(t, "</table></div>\n");
}

static void stages(text *t, const pipeline_moment *now)
{
    text_add(t, "<div class=\"scroll\"><table class=\"roles\">\n<tr><th>Q</th>"
                "<th>K[0]</th><th>K[1]</th><th>V[0]</th><th>V[1]</th></tr>\n"
                "<tr>");
    for (int k = 0; k < 5; k++)
        text_add(t, "<td>%s</td>", now->stages[k]);
    text_add(t, "</tr>\n</table></div>\n");
}

void draw_pipeline(text *t, size_t shown)
{
    const pipeline_moment *last = &pipeline_moments[pipeline_moments_n - 1];
    size_t at = shown ? min_size(shown, pipeline_moments_n) - 1 : 0;
    const pipeline_moment *now = &pipeline_moments[at];

    timeline(t, shown ? now->clock : 0, last->clock);
    if (shown == 0) {
        text_add(t, "<p>Nobody has asked for anything yet.</p>\n");
        return;
    }
    roles(t, now);
    stages(t, now);
}
