/*
 * What comes from outside: numbers that somebody typed, and text that nobody
 * has looked at yet.
 */
#ifndef COMMON_OUTSIDE_H
#define COMMON_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* Is the whole text such a number? Then it is *x. C's own functions also take
 * blanks before it, hexadecimals, nan, and for a size even a minus sign. */
bool size_from(const char *text, size_t *x);  /* digits alone: 0, 4096 */
bool integer_from(const char *text, long *x); /* -3, 12, +12 */
bool number_from(const char *text, float *x); /* 0.125, -2e-3; finite in fp32 */

/* The text as a message may show it, so that no terminal does what it says:
 * control characters as \x1b, and what is too long cut off with "...". */
enum { SHOWN_MAX = 200 };
typedef struct {
    char text[SHOWN_MAX + 4];
} shown_text;

shown_text shown(const char *text);

/* One line on stderr, "name: " and the rest, the name as it may be shown.
 * Returns the status, for the caller to do so. */
__attribute__((format(printf, 3, 4))) int refused(int status, const char *name,
                                                  const char *format, ...);

/* For a program with at most one argument: which of these words it is. Their
 * number without one; -1 after a line on stderr for any other. */
int word_given(int argc, char **argv, const char *const known[]);

#endif
