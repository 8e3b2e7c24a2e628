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

/* A rectangle of an SVG picture. */
void text_rect(text *t, const char *class, double x, double y, double width,
               double height);

/* A table of two columns of numbers; a row of it, with a comma before every
 * three digits; its end is text_add's. */
void text_table(text *t, const char *of, const char *a, const char *b);
void text_row(text *t, const char *of, double a, double b);

#endif
