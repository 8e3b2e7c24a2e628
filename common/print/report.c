#include "common/print/report.h"

#include <errno.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WIDEST = 79 };

bool report_styled(FILE *stream)
{
    const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

    return isatty(fileno(stream)) && !(no_color && *no_color) &&
           !(term && !strcmp(term, "dumb"));
}

void heading(const char *format, ...)
{
    bool styled = report_styled(stdout);
    va_list arguments;

    va_start(arguments, format);
    fputs(styled ? "\033[1m" : "", stdout);
    vprintf(format, arguments);
    puts(styled ? "\033[0m" : "");
    va_end(arguments);
}

void next_step(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs(report_styled(stdout) ? "\033[1mnext:\033[0m " : "next: ", stdout);
    vprintf(format, arguments);
    puts("");
    va_end(arguments);
}

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
        word += length + strspn(word + length, " ");
    }
    putchar('\n');
}

enum { SCREEN = 80, WIDEST_GAP = 3 };

void table_row(table *t, const char *format, ...)
{
    size_t room = sizeof(t->text) - t->used;
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(t->text + t->used, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 >= room) {
        t->text[t->used] = '\0';
        return;
    }
    t->used += (size_t)length;
    t->text[t->used++] = '\n';
    t->text[t->used] = '\0';
}

/* In UTF-8 each byte of a character except the first has the form 10xxxxxx. */
static size_t width_of(const char *cell, size_t bytes)
{
    size_t width = 0;

    for (size_t k = 0; k < bytes; k++)
        width += ((unsigned char)cell[k] & 0xc0) != 0x80;
    return width;
}

static bool looks_like_number(const char *cell, size_t bytes)
{
    size_t sign = bytes && strchr("+-<", *cell) != NULL;
    const char *digits = cell + sign;

    return bytes == sign || strchr("0123456789.", *digits) ||
           !strncmp(digits, "NaN", 3) || !strncmp(digits, "inf", 3);
}

/* Returns the index of the next column, or 0 after a newline. The index is at
 * most TABLE_COLUMNS - 1, so all later columns share the last width. */
static size_t column_after(size_t column, char end)
{
    return end == '\n' ? 0 : column + (column + 1 < TABLE_COLUMNS);
}

void table_print(const table *t)
{
    size_t width[TABLE_COLUMNS] = {0}, columns = 0, used = 0, gap = WIDEST_GAP;
    bool is_text[TABLE_COLUMNS] = {false}; /* in a row below the header */
    bool styled = report_styled(stdout), stacked;
    const char *head_end = t->text + strcspn(t->text, "\n");
    size_t column = 0, pending = 0; /* blanks to print before the next cell */
    size_t n;

    for (const char *cell = t->text; *cell; cell += n + 1) {
        n = strcspn(cell, "|\n");
        if (width_of(cell, n) > width[column])
            width[column] = width_of(cell, n);
        is_text[column] |= cell > head_end && !looks_like_number(cell, n);
        columns = column + 1 > columns ? column + 1 : columns;
        column = column_after(column, cell[n]);
    }
    for (size_t k = 0; k < columns; k++)
        used += width[k];
    stacked = columns > 1 && used + columns > SCREEN + 1;
    if (stacked) {
        used -= width[0];
        width[0] = 0;
    }
    while (gap > 1 && used + gap * (columns - 1) > SCREEN)
        gap--;

    fputs(styled ? "\033[2m" : "", stdout); /* the first row is dim */
    for (const char *cell = t->text; *cell; cell += n + 1) {
        n = strcspn(cell, "|\n");
        bool alone = stacked && column == 0;
        size_t blanks = alone ? 0 : width[column] - width_of(cell, n);
        size_t left = is_text[column] || !n ? 0 : blanks;

        if (alone)
            printf("%.*s\n", (int)n, cell);
        else if (n) {
            printf("%*s%.*s", (int)(pending + left), "", (int)n, cell);
            pending = 0;
        }
        pending += blanks - left + gap;
        column = column_after(column, cell[n]);
        if (cell[n] == '\n') {
            puts(styled && cell + n == head_end ? "\033[0m" : "");
            pending = 0;
        }
    }
}

words count_text(size_t n)
{
    words w;
    size_t at = (size_t)snprintf(w.text, sizeof(w.text), "%zu", n);

    while (at > 3) { /* a comma before each group of three digits */
        at -= 3;
        memmove(w.text + at + 1, w.text + at, strlen(w.text + at) + 1);
        w.text[at] = ',';
    }
    return w;
}

words error_text(double error)
{
    words w;

    if (isnan(error))
        strcpy(w.text, "NaN");
    else
        snprintf(w.text, sizeof(w.text), error == 0.0 ? "%.0f" : "%.1e", error);
    return w;
}

int report_end(int status)
{
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    fprintf(stderr, "stdout: cannot write: %s\n", strerror(errno));
    return status ? status : 1;
}
