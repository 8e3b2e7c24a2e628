/*
 * Parses untrusted input: numbers and text from the command line.
 */
#ifndef COMMON_OUTSIDE_H
#define COMMON_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the whole text is such a number; stores it in *x. C's strtol and
 * strtof also accept leading blanks, hexadecimal digits, nan, and a minus sign
 * before an unsigned number; these functions do not. */
bool size_from(const char *text, size_t *x);  /* digits alone: 0, 4096 */
bool integer_from(const char *text, long *x); /* -3, 12, +12 */
bool number_from(const char *text, float *x); /* 0.125, -2e-3; finite in fp32 */

/* Text that is safe to print on a terminal. Control characters are printed as
 * numbers, like \x1b. Long text is cut off with "...". */
enum { SHOWN_MAX = 200 };
typedef struct {
    char text[SHOWN_MAX + 4];
} shown_text;

shown_text shown(const char *text);

/* Prints one line on stderr: the name, made safe to print, ": " and the
 * message. Returns the status, so that callers can return it. */
__attribute__((format(printf, 3, 4))) int refused(int status, const char *name,
                                                  const char *format, ...);

/* For a program that takes at most one word. Returns the word's index in the
 * NULL-ended list. Without arguments returns the length of the list. For other
 * arguments prints one line on stderr and returns -1. */
int word_given(int argc, char **argv, const char *const known[]);

#endif
