/*
 * Two kernels side by side: S as a square of tiles, numbered in the order of
 * their visits, and what has crossed HBM so far. A bar left of it marks the
 * rows whose O or dQ a visit writes, and one below the columns whose dK and dV
 * it writes: dark now, light before.
 */
#include "tools/book/steps/steps.h"

#include <math.h>

#include "common/matrix.h"

static const double SIDE = 256, LEFT = 34, TOP = 30;

/* Of the way there, and of the way back. */
static const char *const titles[2][2] = {{"FlashAttention", "FlashAttention-2"},
                                         {"One kernel", "Two kernels"}};

/* The rows of the table; one without a name is left out. */
static const char *const names[COUNTS][2] = {
    {"visits so far", "visits so far"},
    {NULL, "tiles of dQ written so far"},
    {NULL, "tiles of dK and dV written so far"},
    {"read so far", "elements read so far"},
    {"written so far", "elements written so far"},
    {"visits in all", "visits in all"},
    {"moved in all, counted", "moved in all, counted"},
    {"moved in all, by formula", "moved in all, by formula"},
    {"first values of O, l, m", "first values of dQ"},
    {"tiles on chip", "tiles on chip"},
    {"L, where the formula leaves it out", NULL}};

static bool back;
static visits both[2];
static double N, standard; /* what standard attention moves */

size_t run_race(bool is_back)
{
    size_t d = (size_t)numbers[1], M = (size_t)numbers[2];

    back = is_back;
    N = (double)numbers[0];
    standard = 4 * N * (double)d + 4 * N * N;
    record(&both[0], back ? ONE_KERNEL_BACK : FLASH1, (size_t)N, d, M);
    record(&both[1], back ? TWO_KERNELS_BACK : FLASH2, (size_t)N, d, M);
    error = both[both[0].error[0] == '\0'].error;
    return max_size(both[0].n, both[1].n);
}

static void grid(const visits *v, const char *title, const visit *last)
{
    double scale = SIDE / N;

    add("<figure><svg role=\"img\" viewBox=\"0 0 300 296\" "
        "aria-label=\"The tiles that %s has visited\">\n"
        "<text x=\"34\" y=\"20\">keys →</text>"
        "<text x=\"-34\" y=\"22\" transform=\"rotate(-90)\" "
        "text-anchor=\"end\">← queries</text>\n",
        title);
    rect("frame", LEFT, TOP, SIDE, SIDE);
    for (const visit *of = v->nth + 1; of <= last; of++) {
        const char *wrote = of == last ? "wrote now" : "wrote";
        double x = LEFT + scale * (double)of->from[KEYS];
        double y = TOP + scale * (double)of->from[QUERIES];
        double width = scale * (double)of->to[KEYS] - x + LEFT;
        double height = scale * (double)of->to[QUERIES] - y + TOP;

        rect(of == last ? "tile now" : "tile", x, y, width, height);
        if (width >= 22 && height >= 13) /* the number fits */
            label(of == last ? "nth now" : "nth", "middle", x + width / 2,
                  y + height / 2 + 4, "%.0f", of->count[VISITS]);
        if (of->now.wrote[QUERIES])
            rect(wrote, LEFT - 9, y, 6, height);
        if (of->now.wrote[KEYS])
            rect(wrote, x, TOP + SIDE + 3, width, 6);
    }
    add("</svg><figcaption>%s: Br = %zu, Bc = %zu</figcaption></figure>\n",
        title, v->Br, v->Bc);
}

/* What has crossed so far, over what standard attention moves in all. */
static void meter(const char *title, double far, double all, double most)
{
    add("<div class=\"meter %s\"><span>%s</span><span class=\"track\">"
        "<span class=\"all\" style=\"width:%.2f%%\"></span>"
        "<span class=\"far\" style=\"width:%.2f%%\"></span></span></div>\n",
        title, title, 100 * all / most, 100 * far / most);
}

static void meters(const double *one, const double *two)
{
    double most = fmax(standard, fmax(one[FORMULA], two[FORMULA]));

    add("<div class=\"meters\">\n");
    meter("standard", standard, standard, most);
    meter(titles[0][0], one[READ] + one[WRITTEN], one[FORMULA], most);
    meter(titles[0][1], two[READ] + two[WRITTEN], two[FORMULA], most);
    add("</div>\n");
}

/* What the visit that is shown last does, in words. */
static void told(const char *kernel, const visit *v)
{
    static const char *const wrote[] = {
        "nothing is written yet", "dQ is written", "dK and dV are written",
        "dQ, dK and dV are written"};

    if (v->to[KEYS] == 0)
        add("<p><b>%s</b>: nobody has met.</p>\n", kernel);
    else
        add("<p><b>%s</b>: queries %zu to %zu meet keys %zu to %zu; %s.</p>\n",
            kernel, v->from[QUERIES], v->to[QUERIES] - 1, v->from[KEYS],
            v->to[KEYS] - 1, wrote[v->now.wrote[0] + 2 * v->now.wrote[1]]);
}

void show_race(size_t shown)
{
    const visit *one = &both[0].nth[min_size(shown, both[0].n)];
    const visit *two = &both[1].nth[min_size(shown, both[1].n)];

    add("<div class=\"grids\">\n");
    grid(&both[0], titles[back][0], one);
    grid(&both[1], titles[back][1], two);
    add("</div>\n");
    if (back) {
        told(titles[1][0], one);
        told(titles[1][1], two);
    } else {
        meters(one->count, two->count);
    }
    table("states");
    row_of("th", "th", "counted|%s|%s", titles[back][0], titles[back][1]);
    for (int k = 0; k < COUNTS; k++)
        if (names[k][back])
            two_counts(names[k][back], one->count[k], two->count[k]);
    if (!back)
        row_of("th", "td", "over standard attention’s %.0f|%.3f|%.3f", standard,
               one->count[FORMULA] / standard, two->count[FORMULA] / standard);
    add("</table></div>\n");
}
