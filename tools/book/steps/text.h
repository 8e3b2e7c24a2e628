/*
 * Text put together piece by piece: the same bytes by this machine's C library
 * and by the browser's.
 */
#ifndef BOOK_TEXT_H
#define BOOK_TEXT_H

#include <stddef.h>

typedef struct {
    char *at; /* size bytes, always ended by a '\0' */
    size_t size, used;
    int full; /* something did not fit and was left out */
} text;

text text_in(char *at, size_t size);

/* Adds format, as printf writes it. */
void text_add(text *t, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* n with a comma before every three digits. */
typedef struct {
    char text[32];
} grouped;
grouped grouped_of(size_t n);

#endif
