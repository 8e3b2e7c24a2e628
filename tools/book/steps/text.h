/*
 * Text put together piece by piece, with the same digits on every machine and
 * in a browser: no printf of the C library takes part.
 */
#ifndef BOOK_TEXT_H
#define BOOK_TEXT_H

#include <stdarg.h>
#include <stddef.h>

typedef struct {
    char *at; /* size bytes, always ended by a '\0' */
    size_t size, used;
    int full; /* something did not fit and was left out */
} text;

text text_in(char *at, size_t size);

/*
 * Adds format, in which
 *   %s     is a string
 *   %zu    a size_t; %'zu with a comma before every three digits
 *   %.Nf   a double, as the nearest float, N <= 5 digits after the point,
 *          ties to even; inf, -inf or nan, and "huge" beyond 2^40
 *   %%     a per cent sign
 */
void text_add(text *t, const char *format, ...);
void text_add_list(text *t, const char *format, va_list list);

#endif
