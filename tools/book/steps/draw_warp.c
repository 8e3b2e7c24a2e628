/*
 * A load of a warp: the lines of shared memory that it touches, 32 banks of 4
 * bytes each, and above them how many words each bank must give to the lanes
 * that are served together.
 */
#include "tools/book/steps/draw.h"

#include <stdbool.h>

enum { LEFT = 92, CELL = 16, LINE = 128, WORD = 4, BANKS = 32 };

/* How many lanes are served together: those of 128 bytes. */
static size_t together(const warp_load *w)
{
    return LINE / w->bytes < LANES ? LINE / w->bytes : LANES;
}

/* The lines that any lane touches, from the first on; returns how many. */
static size_t lines_of(const warp_load *w, size_t line[LANES])
{
    size_t n = 0;

    for (size_t l = 0; l < LANES; l++) {
        size_t at = w->at[l] / LINE, k = n;

        while (k > 0 && line[k - 1] > at)
            k--;
        if (k > 0 && line[k - 1] == at)
            continue;
        for (size_t j = n++; j > k; j--)
            line[j] = line[j - 1];
        line[k] = at;
    }
    return n;
}

static bool wanted(const warp_load *w, size_t first, size_t end, size_t word)
{
    for (size_t l = first; l < end; l++)
        if (word * WORD >= w->at[l] && word * WORD < w->at[l] + w->bytes)
            return true;
    return false;
}

/* How many words each bank must give to lanes first .. end - 1. */
static void words(text *t, const warp_load *w, const size_t line[],
                  size_t lines, size_t first, size_t end)
{
    text_add(t, "<text x=\"84\" y=\"32\" text-anchor=\"end\">words</text>");
    for (size_t bank = 0; bank < BANKS; bank++) {
        size_t n = 0;

        for (size_t k = 0; k < lines; k++)
            n += wanted(w, first, end, line[k] * BANKS + bank);
        if (n > 0)
            text_add(t,
                     "<text class=\"%s\" x=\"%zu\" y=\"32\" "
                     "text-anchor=\"middle\">%zu</text>",
                     n > 1 ? "clash" : "fits", LEFT + bank * CELL + CELL / 2,
                     n);
    }
    text_add(t, "\n");
}

static void picture(text *t, const warp_load *w, size_t first, size_t shown)
{
    size_t line[LANES], lines = lines_of(w, line), y = 40;

    text_add(t,
             "<div class=\"scroll\"><svg class=\"wide\" role=\"img\" "
             "viewBox=\"0 0 640 %zu\" aria-label=\"The words of shared memory "
             "that the lanes want, by bank\">\n<text x=\"%d\" y=\"14\">bank 0"
             "</text><text x=\"604\" y=\"14\" text-anchor=\"end\">bank 31"
             "</text><text x=\"84\" y=\"14\" text-anchor=\"end\">byte</text>\n",
             lines * 16 + 46, LEFT);
    words(t, w, line, lines, first, shown);
    for (size_t k = 0; k < lines; k++, y += 16) {
        text_add(t, "<text x=\"84\" y=\"%zu\" text-anchor=\"end\">%zu</text>",
                 y + 12, line[k] * LINE);
        for (size_t bank = 0; bank < BANKS; bank++) {
            size_t word = line[k] * BANKS + bank;
            bool now = shown && wanted(w, shown - 1, shown, word);
            bool served = wanted(w, first, shown, word);

            text_rect(t,
                      now                         ? "tile now"
                      : served                    ? "tile"
                      : wanted(w, 0, first, word) ? "done"
                                                  : "frame",
                      (double)(LEFT + bank * CELL), (double)y, CELL, 14);
        }
        text_add(t, "\n");
    }
    text_add(t, "\n</svg></div>\n");
}

void draw_warp(text *t, const warp_load *w, size_t shown)
{
    size_t group, first;
    warp_cost all, last;

    if (w->error[0]) {
        text_add(t, "<p class=\"error\">%s</p>\n", w->error);
        return;
    }
    shown = shown < LANES ? shown : LANES;
    group = together(w);
    first = shown ? (shown - 1) / group * group : 0;
    all = warp_cost_of(w, 0, shown);
    last = warp_cost_of(w, first, shown);
    picture(t, w, first, shown);
    text_add(t,
             "<p>Lanes %zu to %zu are served together: so far %zu "
             "wavefront%s needed, as many as the fullest bank has words.</p>\n",
             first, first + group - 1, last.wavefronts,
             last.wavefronts == 1 ? " is" : "s are");
    text_table(t, "all lanes so far", "needed", "at best");
    text_row(t, "wavefronts, if the tile is in shared memory",
             (double)all.wavefronts, (double)all.fewest_wavefronts);
    text_row(t, "sectors of 32 bytes, if it is in global memory",
             (double)all.sectors, (double)all.fewest_sectors);
    text_add(t, "</table></div>\n");
}
