/*
 * Formatting (text.h).
 */
#include "tools/book/steps/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

text text_in(char *at, size_t size)
{
    at[0] = '\0';
    return (text){at, size, 0, 0};
}

void text_add(text *t, const char *format, ...)
{
    size_t room = t->size - t->used;
    va_list list;
    int length;

    va_start(list, format);
    length = vsnprintf(t->at + t->used, room, format, list);
    va_end(list);
    if (length >= 0 && (size_t)length < room)
        t->used += (size_t)length;
    else
        t->full = 1;
    t->at[t->used] = '\0';
}

void text_rect(text *t, const char *class, double x, double y, double width,
               double height)
{
    text_add(t, "<rect class=\"%s\" x=\"%.5g\" y=\"%.5g\" ", class, x, y);
    text_add(t, "width=\"%.5g\" height=\"%.5g\"/>\n", width, height);
}

void text_table(text *t, const char *of, const char *a, const char *b)
{
    text_add(t, "<div class=\"scroll\"><table class=\"states\">\n<tr>");
    text_add(t, "<th>%s</th><th>%s</th><th>%s</th></tr>\n", of, a, b);
}

static void grouped(text *t, double n)
{
    char digits[32];
    int length = snprintf(digits, sizeof digits, "%.0f", n);

    for (int k = 0; k < length; k++)
        text_add(t, (length - k) % 3 || k == 0 ? "%c" : ",%c", digits[k]);
}

void text_row(text *t, const char *of, double a, double b)
{
    text_add(t, "<tr><th>%s</th><td>", of);
    grouped(t, a);
    text_add(t, "</td><td>");
    grouped(t, b);
    text_add(t, "</td></tr>\n");
}
