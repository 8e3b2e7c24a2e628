/*
 * Tables (report.h). The rows are kept as one text; it is walked twice, for
 * the widths of the columns and for printing.
 */
#include "common/print/report.h"

#include <stdarg.h>
#include <string.h>

enum { SCREEN = 80, WIDEST_GAP = 3 };

typedef struct {
    size_t width[TABLE_COLUMNS];
    bool number[TABLE_COLUMNS]; /* every cell under the head looks like one */
    size_t columns;
} layout;

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

/* Characters, not bytes: in UTF-8 all but the first of one are 10xxxxxx. */
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

    return bytes == sign || strchr("0123456789.", cell[sign]) ||
           !strncmp(cell + sign, "NaN", 3) || !strncmp(cell + sign, "inf", 3);
}

static layout lay_out(const table *t)
{
    layout l = {.number = {false}};
    bool head = true;
    size_t c = 0;

    for (size_t k = 0; k < TABLE_COLUMNS; k++)
        l.number[k] = true;
    for (const char *cell = t->text; *cell;) {
        size_t bytes = strcspn(cell, "|\n");
        size_t width = width_of(cell, bytes);

        if (c < TABLE_COLUMNS) {
            l.width[c] = width > l.width[c] ? width : l.width[c];
            if (!head && !looks_like_number(cell, bytes))
                l.number[c] = false;
            l.columns = c + 1 > l.columns ? c + 1 : l.columns;
        }
        c++;
        if (cell[bytes] == '\n') {
            head = false;
            c = 0;
        }
        cell += bytes + 1;
    }
    return l;
}

static int gap_of(const layout *l)
{
    size_t used = 0, gap = WIDEST_GAP;

    for (size_t c = 0; c < l->columns; c++)
        used += l->width[c];
    while (gap > 1 && used + gap * (l->columns - 1) > SCREEN)
        gap--;
    return (int)gap;
}

void table_print(const table *t)
{
    layout l = lay_out(t);
    bool styled = report_styled(stdout);
    int gap = gap_of(&l), owed = 0; /* blanks, so that none ends a line */
    size_t c = 0;

    fputs(styled ? "\033[2m" : "", stdout);
    for (const char *cell = t->text; *cell;) {
        size_t bytes = strcspn(cell, "|\n");
        bool right = c < TABLE_COLUMNS && l.number[c];
        int blanks = 0;

        if (c < TABLE_COLUMNS)
            blanks = (int)(l.width[c] - width_of(cell, bytes));
        if (bytes) {
            printf("%*s%.*s", owed + (right ? blanks : 0), "", (int)bytes,
                   cell);
            owed = right ? gap : gap + blanks;
        } else {
            owed += gap + blanks;
        }
        c++;
        if (cell[bytes] == '\n') {
            puts(styled ? "\033[0m" : "");
            styled = false; /* only the heads are dim */
            c = 0;
            owed = 0;
        }
        cell += bytes + 1;
    }
}
