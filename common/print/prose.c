/*
 * Breaking a paragraph into lines (prose.h).
 */
#include "common/print/prose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { WIDEST = 79 };

void prose(const char *format, ...)
{
    char text[2001];
    size_t column = 0;
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);

    for (const char *word = text + strspn(text, " "); *word;) {
        size_t length = strcspn(word, " ");

        if (column && column + 1 + length > WIDEST) {
            putchar('\n');
            column = 0;
        }
        column +=
            (size_t)printf("%s%.*s", column ? " " : "", (int)length, word);
        word += length;
        word += strspn(word, " ");
    }
    putchar('\n');
}
