/*
 * Parses untrusted input: numbers and text from the command line.
 */
#ifndef COMMON_OUTSIDE_H
#define COMMON_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the whole text is such a number; stores it in *x. The functions of C
 * also accept leading blanks, hexadecimals, nan, and a minus sign of a size. */
bool size_from(const char *text, size_t *x);  /* digits alone: 0, 4096 */
bool integer_from(const char *text, long *x); /* -3, 12, +12 */
bool number_from(const char *text, float *x); /* 0.125, -2e-3; finite in fp32 */

/* Text that is safe to print on a terminal: control characters are replaced, as
 * in \x1b, and long text is cut off with "...". */
enum { SHOWN_MAX = 200 };
typedef struct {
    char text[SHOWN_MAX + 4];
} shown_text;

shown_text shown(const char *text);

/* Prints one line on stderr: the name, made safe to print, ": " and the
 * message. Returns the status, so that callers can return it. */
__attribute__((format(printf, 3, 4))) int refused(int status, const char *name,
                                                  const char *format, ...);

/* For a program with at most one argument. Returns the argument's index in the
 * NULL-ended list; the length of the list without an argument; or -1 after one
 * line on stderr for any other argument. */
int word_given(int argc, char **argv, const char *const known[]);

#endif
