/*
 * Prints headings, tables with aligned columns, and readable numbers, in lines
 * of at most 80 columns. Text is bold or dim only on a terminal, and only if
 * the environment has neither NO_COLOR (no-color.org) nor TERM=dumb.
 */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define REPORT_PRINTF(at) __attribute__((format(printf, at, (at) + 1)))

/* True if text on the stream may be bold or dim. */
bool report_styled(FILE *stream);

/* heading prints a bold line. prose prints a paragraph of at most 2000
 * characters, in lines of at most 79. next_step prints "next: ...", the last
 * lines of a program, which suggest the next commands, one in each line. */
void heading(const char *format, ...) REPORT_PRINTF(1);
void prose(const char *format, ...) REPORT_PRINTF(1);
void next_step(const char *format, ...) REPORT_PRINTF(1);

/*
 * A table has rows of cells, separated by |. The first row is the header.
 *
 *     table t = {0};
 *     table_row(&t, "step|passes|error");
 *     table_row(&t, "%s|%zu|%s", name, passes, error_text(e).text);
 *     table_print(&t);
 *
 * Columns are as wide as their widest cell. Numbers are right-aligned. The gap
 * between columns is 3 blanks, or fewer if the table would exceed 80 columns. If
 * it exceeds them with 1 blank, the first cell of a row has its own line.
 */
#define TABLE_COLUMNS 16

typedef struct {
    char text[8192]; /* lines; a row that does not fit is lost */
    size_t used;
} table;

void table_row(table *t, const char *format, ...) REPORT_PRINTF(2);
void table_print(const table *t);

/* progress names what runs now. Two seconds after the program's first call, a
 * line on stderr shows it and its seconds, if stderr is a terminal. After
 * progress_of the line has *done / total in percent, unless *done is 0.
 * progress_done clears the line. */
void progress(const char *format, ...) REPORT_PRINTF(1);
void progress_of(const size_t *done, size_t total);
void progress_done(void);

/* A formatted number. It is returned by value, so that one printf can print
 * several: printf("%s of %s", time_text(a).text, time_text(b).text). */
typedef struct {
    char text[32];
} words;

words error_text(double error);  /* 1.2e-07, 0, NaN, inf */
words time_text(double seconds); /* 12.3 ms, 850 ns, 1.25 s */
words count_text(size_t n);      /* 16,777,216 */

/* Returns seconds since a fixed but arbitrary moment. */
double stopwatch(void);

/* Returns the exit code of a program: status, or 1 if status is 0 and stdout
 * could not be written, for example on a full disk. */
int report_end(int status);

#endif
