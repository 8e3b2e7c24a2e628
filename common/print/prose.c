/*
 * Paragraphs, and progress (report.h).
 */
#include "common/print/report.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

/* Wiping a line is no colour, but a dumb terminal cannot do it. */
static bool has_progress(void)
{
    const char *term = getenv("TERM");

    return isatty(STDERR_FILENO) && !(term && !strcmp(term, "dumb"));
}

void progress(const char *format, ...)
{
    va_list arguments;

    if (!has_progress())
        return;
    va_start(arguments, format);
    fputs("\r\033[K", stderr);
    vfprintf(stderr, format, arguments);
    fflush(stderr);
    va_end(arguments);
}

void progress_done(void)
{
    if (has_progress())
        fputs("\r\033[K", stderr);
}
