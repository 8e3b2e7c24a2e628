/*
 * Rung 10 up to a moment: who has worked when, what each role does and waits
 * for, and what is in the stages of shared memory.
 */
#include "tools/book/steps/draw.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_MOMENTS = 256, ROW = 26 };

static const double LEFT = 92, WIDE = 540;
static const char *const role[] = {"producer", "consumer A", "consumer B"};

static int ascending(const void *a, const void *b)
{
    return *(const int *)a - *(const int *)b;
}

/* The different clocks, in order; returns how many. */
static size_t moments(int clock[MOST_MOMENTS])
{
    size_t n = 0, different = 0;

    for (size_t k = 0; k < pipeline_events_n && n < MOST_MOMENTS; k++)
        if (n == 0 || clock[n - 1] != pipeline_events[k].clock)
            clock[n++] = pipeline_events[k].clock;
    for (size_t k = 0; k < pipeline_boxes_n && n < MOST_MOMENTS; k++)
        clock[n++] = pipeline_boxes[k].to;
    qsort(clock, n, sizeof *clock, ascending);
    for (size_t k = 0; k < n; k++)
        if (k == 0 || clock[k] != clock[k - 1])
            clock[different++] = clock[k];
    return different;
}

size_t pipeline_moments(void)
{
    int clock[MOST_MOMENTS];

    return moments(clock);
}

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

/* --- The roles ---------------------------------------------------------------- */

/* What an event is, in words; NULL if it is not told. */
static const char *words_of(const pipeline_event *e)
{
    static const struct {
        const char *what, *words;
    } known[] = {
        {"load", "asks TMA to fill"},  {"wait", "goes on from"},
        {"arrive", "signals"},         {"commit", "starts"},
        {"bar_sync", "has its turn,"}, {"bar_arrive", "gives the turn,"}};

    for (size_t k = 0; k < sizeof known / sizeof *known; k++)
        if (strcmp(e->what, known[k].what) == 0)
            return known[k].words;
    return NULL;
}

static void did(text *t, int who, int now)
{
    const pipeline_event *before = NULL;

    for (size_t k = 0; k < pipeline_events_n; k++) {
        const pipeline_event *e = &pipeline_events[k];
        const char *words = words_of(e);

        if (e->who != who || e->clock != now || !words ||
            (strcmp(e->what, "arrive") == 0 && who == 0))
            continue;
        if (before && strcmp(before->what, e->what) == 0 &&
            strcmp(before->name, e->name) == 0)
            continue; /* the same once more: halves of a tile */
        text_add(t, "%s%s %s%s", before ? "; " : "", words,
                 strncmp(e->what, "bar_", 4) == 0 ? "barrier " : "", e->name);
        before = e;
    }
}

static void waits(text *t, int who, int now)
{
    for (size_t k = 0; k < pipeline_boxes_n; k++) {
        const pipeline_box *b = &pipeline_boxes[k];

        if (b->kind == SOFTMAX && b->who == who && b->from <= now &&
            now < b->to) {
            text_add(t, "computes softmax");
            return;
        }
    }
    for (size_t k = 0; k < pipeline_events_n; k++) {
        const pipeline_event *e = &pipeline_events[k];

        if (e->who != who || e->clock <= now)
            continue;
        if (strcmp(e->what, "wait") == 0)
            text_add(t, "waits for %s", e->name);
        else if (strcmp(e->what, "bar_sync") == 0)
            text_add(t, "waits for its turn, barrier %s", e->name);
        else
            text_add(t, "waits for its product");
        return;
    }
    text_add(t, "is done");
}

static void roles(text *t, int now)
{
    text_add(t, "<div class=\"scroll\"><table class=\"roles\">\n<tr><th>role"
                "</th><th>did at this clock</th><th>and now</th></tr>\n");
    for (int who = 0; who < 3; who++) {
        text_add(t, "<tr><th>%s</th><td>", role[who]);
        did(t, who, now);
        text_add(t, "</td><td>");
        waits(t, who, now);
        text_add(t, "</td></tr>\n");
    }
    text_add(t, "</table></div>\n");
}

/* --- The stages ----------------------------------------------------------------- */

/* The k-th load ends with the k-th box of loads: TMA has one queue. */
static int end_of_load(size_t nth)
{
    for (size_t k = 0; k < pipeline_boxes_n; k++)
        if (pipeline_boxes[k].kind == LOADS && nth-- == 0)
            return pipeline_boxes[k].to;
    return 0;
}

static void stage(text *t, const char *full, const char *empty, int now)
{
    size_t loads = 0, tiles = 0, freed = 0;
    bool coming = false;

    for (size_t k = 0; k < pipeline_events_n; k++) {
        const pipeline_event *e = &pipeline_events[k];
        bool load = strcmp(e->what, "load") == 0;
        bool arrives = strcmp(e->what, "arrive") == 0;

        if (e->clock > now)
            break;
        if (load && strcmp(e->name, full) == 0)
            coming = end_of_load(loads) > now;
        loads += load;
        tiles += arrives && strcmp(e->name, full) == 0;
        freed += arrives && strcmp(e->name, empty) == 0;
    }
    text_add(t, "<td>");
    if (coming)
        text_add(t, "tile %zu is on its way", tiles);
    else if (2 * tiles > freed)
        text_add(t, "tile %zu%s", tiles,
                 2 * tiles == freed + 1 ? ", one consumer is done" : "");
    else
        text_add(t, "empty");
    text_add(t, "</td>");
}

static void stages(text *t, int now)
{
    static const char *const name[] = {"Q", "K[0]", "K[1]", "V[0]", "V[1]"};
    static const char *const full[] = {"Q_full", "K_full[0]", "K_full[1]",
                                       "V_full[0]", "V_full[1]"};
    static const char *const empty[] = {"Q_empty", "K_empty[0]", "K_empty[1]",
                                        "V_empty[0]", "V_empty[1]"};

    text_add(t, "<div class=\"scroll\"><table class=\"roles\">\n<tr>");
    for (int k = 0; k < 5; k++)
        text_add(t, "<th>%s</th>", name[k]);
    text_add(t, "</tr>\n<tr>");
    for (int k = 0; k < 5; k++)
        stage(t, full[k], empty[k], now);
    text_add(t, "</tr>\n</table></div>\n");
}

void draw_pipeline(text *t, size_t shown)
{
    int clock[MOST_MOMENTS];
    size_t n = moments(clock);
    int now = shown ? clock[min_size(shown, n) - 1] : 0;

    timeline(t, now, clock[n - 1]);
    if (shown == 0) {
        text_add(t, "<p>Nobody has asked for anything yet.</p>\n");
        return;
    }
    roles(t, now);
    stages(t, now);
}
