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

grouped grouped_of(size_t n)
{
    grouped g;
    int length = snprintf(g.text, sizeof g.text, "%zu", n);

    for (int k = length - 3; k > 0; k -= 3) {
        memmove(g.text + k + 1, g.text + k, strlen(g.text + k) + 1);
        g.text[k] = ',';
    }
    return g;
}
