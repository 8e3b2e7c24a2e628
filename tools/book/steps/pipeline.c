/*
 * Rung 10 up to a moment: who has worked when, what each role does and waits
 * for, and what is in the stages of shared memory.
 */
#include "tools/book/steps/steps.h"

#include "common/matrix.h"

enum { ROW = 26 };

static const double LEFT = 92, WIDE = 540;

static void box(const pipeline_box *b, int now, double scale)
{
    int done = b->to <= now;
    double x = LEFT + scale * b->from;
    double width = scale * ((done ? b->to : now) - b->from);

    rect(!done        ? "tile now"
         : b->row % 2 ? "tile"
                      : "done",
         x, b->row * ROW + 6, width, 20);
    if (width > 18 && done)
        label("", "middle", x + width / 2, b->row * ROW + 20, "%s", b->label);
}

static void timeline(int now, double scale)
{
    static const char *const rows[] = {"TMA loads", "A products", "A softmax",
                                       "B products", "B softmax"};

    svg(160, "Who has worked when: loads, products and softmax of both "
             "consumers");
    for (int k = 0; k < 5; k++) {
        label("", "end", LEFT - 8, k * ROW + 20, "%s", rows[k]);
        rect("frame", LEFT, k * ROW + 6, WIDE, 20);
    }
    for (size_t k = 0; k < pipeline_boxes_n; k++)
        if (pipeline_boxes[k].from < now)
            box(&pipeline_boxes[k], now, scale);
    add("<path class=\"here\" d=\"M %.1f 2 V 138\"/>\n", LEFT + scale * now);
    label("", "middle", LEFT + scale * now, 154, "%d", now);
    add("</svg></div>\n");
}

size_t run_pipeline(void)
{
    return pipeline_moments_n;
}

size_t show_pipeline(size_t shown)
{
    const pipeline_moment *end = &pipeline_moments[pipeline_moments_n - 1];
    const pipeline_moment *now =
        &pipeline_moments[shown ? min_size(shown, pipeline_moments_n) - 1 : 0];

    begin(NULL);
    timeline(shown ? now->clock : 0, WIDE / end->clock);
    if (shown == 0) {
        add("<p>Nobody has asked for anything yet.</p>\n");
        return length();
    }
    table("roles");
    row_of("th", "th", "role|did at this clock|and now");
    for (int k = 0; k < 3; k++)
        row_of("th", "td", "%s", now->roles[k]);
    add("</table></div>\n");
    table("roles");
    row_of("th", "th", "Q|K[0]|K[1]|V[0]|V[1]");
    row_of("td", "td", "%s", now->stages);
    add("</table></div>\n");
    return length();
}
