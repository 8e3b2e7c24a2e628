/*
 * Rung 10 up to a moment: who has worked when, what each role does and waits
 * for, and what is in the stages of shared memory.
 */
#include "tools/book/steps/steps.h"

enum { ROW = 26 };

static const double LEFT = 92, WIDE = 540;

void show_pipeline(size_t shown)
{
    static const char *const rows[] = {"TMA loads", "A products", "A softmax",
                                       "B products", "B softmax"};
    const pipeline_moment *end = &pipeline_moments[pipeline_moments_n - 1];
    const pipeline_moment *at = &pipeline_moments[shown];
    double scale = WIDE / end->clock, now = scale * at->clock;

    svg(160, "Who has worked when: loads, products and softmax of both "
             "consumers");
    for (int k = 0; k < 5; k++) {
        label("", "end", LEFT - 8, k * ROW + 20, "%s", rows[k]);
        rect("frame", LEFT, k * ROW + 6, WIDE, 20);
    }
    for (size_t k = 0; k < pipeline_boxes_n; k++) {
        const pipeline_box *b = &pipeline_boxes[k];
        double x = scale * b->from, y = b->row * ROW, to = scale * b->to;
        bool done = b->to <= at->clock;

        if (b->from < at->clock)
            rect(!done        ? "tile now"
                 : b->row % 2 ? "tile"
                              : "done",
                 LEFT + x, y + 6, (done ? to : now) - x, 20);
        if (to - x > 18 && done)
            label("", "middle", LEFT + (x + to) / 2, y + 20, "%s", b->label);
    }
    add("<path class=\"here\" d=\"M %.1f 2 V 138\"/>\n", LEFT + now);
    label("", at == end ? "end" : "middle", LEFT + now, 154, "%d", at->clock);
    add("</svg></div>\n");
    table("roles");
    row_of("th", "th", "role|did at this clock|and now");
    for (int k = 0; k < 3; k++)
        row_of("th", "td", "%s", at->roles[k]);
    add("</table></div>\n");
    table("roles");
    row_of("th", "th", "Q|K[0]|K[1]|V[0]|V[1]");
    row_of("td", "td", "%s", at->stages);
    add("</table></div>\n");
}
