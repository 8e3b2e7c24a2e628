/*
 * Tables (report.h). The rows are kept as one text; it is walked twice, for
 * the widths of the columns and for printing.
 */
#include "common/print/report.h"

#include <stdarg.h>
#include <string.h>

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

/* A cell of a table's text; begins with {text}. */
typedef struct {
    const char *text;
    size_t row, column, bytes;
    bool begun;
} cell;

static bool next_cell(cell *c)
{
    if (c->begun && c->text[c->bytes] == '\n') {
        c->row++;
        c->column = 0;
    } else if (c->begun && c->column + 1 < TABLE_COLUMNS) {
        c->column++; /* more columns than that share the last one's width */
    }
    c->text += c->begun ? c->bytes + 1 : 0;
    c->begun = true;
    c->bytes = strcspn(c->text, "|\n");
    return *c->text;
}

/* Characters, not bytes: in UTF-8 all but the first of one are 10xxxxxx. */
static size_t width_of(const cell *c)
{
    size_t width = 0;

    for (size_t k = 0; k < c->bytes; k++)
        width += ((unsigned char)c->text[k] & 0xc0) != 0x80;
    return width;
}

static bool looks_like_number(const cell *c)
{
    size_t sign = c->bytes && strchr("+-<", *c->text) != NULL;
    const char *digits = c->text + sign;

    return c->bytes == sign || strchr("0123456789.", *digits) ||
           !strncmp(digits, "NaN", 3) || !strncmp(digits, "inf", 3);
}

void table_print(const table *t)
{
    size_t width[TABLE_COLUMNS] = {0}, columns = 0, used = 0, gap = WIDEST_GAP;
    bool wordy[TABLE_COLUMNS] = {false}; /* below the head: not only numbers */
    bool styled = report_styled(stdout);
    size_t owed = 0; /* blanks, so that none ends a line */

    for (cell c = {.text = t->text}; next_cell(&c);) {
        if (width_of(&c) > width[c.column])
            width[c.column] = width_of(&c);
        wordy[c.column] |= c.row && !looks_like_number(&c);
        columns = c.column + 1 > columns ? c.column + 1 : columns;
    }
    for (size_t k = 0; k < columns; k++)
        used += width[k];
    while (gap > 1 && used + gap * (columns - 1) > SCREEN)
        gap--;

    fputs(styled ? "\033[2m" : "", stdout);
    for (cell c = {.text = t->text}; next_cell(&c);) {
        size_t blanks = width[c.column] - width_of(&c);
        size_t left = wordy[c.column] || !c.bytes ? 0 : blanks;

        if (c.bytes) {
            printf("%*s%.*s", (int)(owed + left), "", (int)c.bytes, c.text);
            owed = 0;
        }
        owed += blanks - left + gap;
        if (c.text[c.bytes] == '\n') {
            puts(styled && c.row == 0 ? "\033[0m" : ""); /* heads are dim */
            owed = 0;
        }
    }
}
