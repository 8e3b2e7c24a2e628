/*
 * The picture, put together piece by piece (steps.h).
 */
#include "tools/book/steps/steps.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "common/matrix.h"

char picture[1 << 21];
float numbers[MOST_NUMBERS];
const char *error;

static size_t used; /* more than there is: something was left out */
static stepper is;
static size_t steps;

size_t run(stepper which, size_t n)
{
    is = which;
    error = "";
    steps = is == ONLINE     ? n
            : is == WARP     ? run_warp()
            : is == PIPELINE ? pipeline_moments_n - 1 /* after the first */
                             : run_race(is == BACKWARD);
    return steps;
}

size_t draw(size_t shown)
{
    shown = min_size(shown, steps);
    used = 0;
    if (*error)
        add("<p class=\"error\">%s</p>\n", error);
    else if (is == ONLINE)
        show_online(steps, shown);
    else if (is == WARP)
        show_warp(shown);
    else if (is == PIPELINE)
        show_pipeline(shown);
    else
        show_race(shown);
    return used < sizeof picture ? used : 0;
}

static void add_list(const char *format, va_list list)
{
    size_t room = used < sizeof picture ? sizeof picture - used : 0;

    used += (size_t)vsnprintf(room ? picture + used : NULL, room, format, list);
}

void add(const char *format, ...)
{
    va_list list;

    va_start(list, format);
    add_list(format, list);
    va_end(list);
}

void svg(size_t height, const char *says)
{
    add("<div class=\"scroll\"><svg class=\"wide\" role=\"img\" "
        "viewBox=\"0 0 640 %zu\" aria-label=\"%s\">\n",
        height, says);
}

void rect(const char *kind, double x, double y, double width, double height)
{
    add("<rect class=\"%s\" x=\"%.5g\" y=\"%.5g\" ", kind, x, y);
    add("width=\"%.5g\" height=\"%.5g\"/>\n", width, height);
}

void label(const char *kind, const char *anchor, double x, double y,
           const char *format, ...)
{
    va_list list;

    add("<text class=\"%s\" text-anchor=\"%s\" ", kind, anchor);
    add("x=\"%.1f\" y=\"%.1f\">", x, y);
    va_start(list, format);
    add_list(format, list);
    va_end(list);
    add("</text>\n");
}

void table(const char *kind)
{
    add("<div class=\"scroll\"><table class=\"%s\">\n", kind);
}

void row_of(const char *first, const char *others, const char *format, ...)
{
    char cells[1000];
    const char *tag = first;
    va_list list;

    va_start(list, format);
    vsnprintf(cells, sizeof cells, format, list);
    va_end(list);
    add("<tr>");
    for (const char *at = cells; at; tag = others) {
        size_t size = strcspn(at, "|");

        add("<%s>%.*s</%s>", tag, (int)size, at, tag);
        at = at[size] ? at + size + 1 : NULL;
    }
    add("</tr>\n");
}

static void grouped(double n)
{
    char digits[32];
    int size = snprintf(digits, sizeof digits, "%.0f", n);

    for (int k = 0; k < size; k++)
        add((size - k) % 3 || k == 0 ? "%c" : ",%c", digits[k]);
}

void two_counts(const char *of, double a, double b)
{
    add("<tr><th>%s</th><td>", of);
    grouped(a);
    add("</td><td>");
    grouped(b);
    add("</td></tr>\n");
}
