/* Parses untrusted numbers and words, and prints untrusted text safely. */
#ifndef COMMON_OUTSIDE_H
#define COMMON_OUTSIDE_H

#include <stdbool.h>
#include <stddef.h>

/* True if the whole text is a number of the given kind; then stores it in *x.
 * C's own functions also accept leading blanks, hexadecimal digits, nan,
 * and a minus sign before an unsigned number. These functions refuse them. */
bool size_from(const char *text, size_t *x);  /* only digits: 0, 4096 */
bool integer_from(const char *text, long *x); /* -3, 12, +12 */
bool number_from(const char *text, float *x); /* 0.125, -2e-3; finite in fp32 */

/* shown returns a copy of the text that is safe to print on a terminal: control
 * characters become numbers such as \x1b. A copy longer than SHOWN_MAX is cut
 * and ends with "...". */
enum { SHOWN_MAX = 200 };
typedef struct {
    char text[SHOWN_MAX + 4];
} shown_text;

shown_text shown(const char *text);

/* Prints one line on stderr: the name, made safe to print, ": " and the
 * message. Returns the status, so that callers can return it. */
__attribute__((format(printf, 3, 4))) int refused(int status, const char *name,
                                                  const char *format, ...);

/* Reads the command line of a program that takes at most one word. Returns the
 * word's index in the NULL-terminated list of allowed words, or the length of
 * the list if no word is given. After any other command line prints one line on
 * stderr and returns -1. */
int word_given(int argc, char **argv, const char *const known[]);

#endif
