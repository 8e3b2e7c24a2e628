/*
 * Rung 10 up to a moment: who has worked when, what each role does and waits
 * for, and what is in the stages of shared memory.
 */
#include "tools/book/steps/steps.h"

#include "common/matrix.h"

enum { ROW = 26 };

static const double LEFT = 92, WIDE = 540;

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
    for (size_t k = 0; k < pipeline_boxes_n; k++) {
        const pipeline_box *b = &pipeline_boxes[k];
        double x = LEFT + scale * b->from, y = b->row * ROW;
        double width = scale * ((b->to < now ? b->to : now) - b->from);

        if (width > 0)
            rect(b->to > now  ? "tile now"
                 : b->row % 2 ? "tile"
                              : "done",
                 x, y + 6, width, 20);
        if (width > 18 && b->to <= now)
            label("", "middle", x + width / 2, y + 20, "%s", b->label);
    }
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
    size_t at = shown ? min_size(shown, pipeline_moments_n) - 1 : 0;
    const pipeline_moment *now = &pipeline_moments[at];

    begin(NULL);
    timeline(shown ? now->clock : 0,
             WIDE / pipeline_moments[pipeline_moments_n - 1].clock);
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
