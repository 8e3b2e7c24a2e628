/*
 * What the programs print: headings, tables with aligned columns, numbers a
 * person can read. 80 columns; bold and dim only on a terminal, and not where
 * the environment has NO_COLOR (no-color.org) or TERM=dumb.
 */
#ifndef COMMON_REPORT_H
#define COMMON_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#define REPORT_PRINTF(at) __attribute__((format(printf, at, (at) + 1)))

/* May this stream be styled? */
bool report_styled(FILE *stream);

/* A line in bold; a paragraph of at most 2000 characters, in lines of at most 79;
 * "next: ...", what to do now, the last line of a program. */
void heading(const char *format, ...) REPORT_PRINTF(1);
void prose(const char *format, ...) REPORT_PRINTF(1);
void next_step(const char *format, ...) REPORT_PRINTF(1);

/*
 * A table: rows of cells with | between them, the first one the heads.
 *
 *     table t = {0};
 *     table_row(&t, "step|passes|error");
 *     table_row(&t, "%s|%zu|%s", name, passes, error_text(e).text);
 *     table_print(&t);
 *
 * Columns are as wide as their widest cell, numbers are set to the right, and
 * the gap between columns is 3 blanks, or fewer where 80 columns ask for it.
 */
#define TABLE_COLUMNS 16

typedef struct {
    char text[8192]; /* each row's cells, then a newline; the rest is lost */
    size_t used;
} table;

void table_row(table *t, const char *format, ...) REPORT_PRINTF(2);
void table_print(const table *t);

/* On stderr and only on a terminal: each call takes the line of the one before,
 * progress_done wipes it. */
void progress(const char *format, ...) REPORT_PRINTF(1);
void progress_done(void);

/* Numbers as words, returned whole, so that several can be in one printf:
 * printf("%s of %s", time_text(a).text, time_text(b).text). */
typedef struct {
    char text[32];
} words;

words error_text(double error);  /* 1.2e-07, 0, NaN, inf */
words time_text(double seconds); /* 12.3 ms, 850 ns, 1.25 s */
words count_text(size_t n);      /* 16,777,216 */

/* Seconds since some moment that stays the same while the program runs. */
double stopwatch(void);

/* The end of every program: status, or 1 after one line on stderr if something
 * that was printed could not be written (a full disk). */
int report_end(int status);

#endif
