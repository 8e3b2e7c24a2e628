/*
 * The Python literals that an .npy header is written in, one at a time: '<f4',
 * False, 12, and the symbols between. Only npy_header.c needs them.
 */
#ifndef COMMON_NPY_LITERALS_H
#define COMMON_NPY_LITERALS_H

#include <stdbool.h>
#include <stddef.h>

#define NPY_REASON_MAX 240

typedef struct {
    const unsigned char *file, *next, *end; /* next .. end is still unread */
    char *reason;                           /* NPY_REASON_MAX bytes */
} cursor;

typedef struct {
    const unsigned char *text; /* not ended by a \0, and may hold any byte */
    size_t length;
} slice;

/* Leaves the reason, printf-like, and returns false. */
bool refuse_header(cursor *c, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* Passes over white space; the byte after it, or '\0' at the end. */
unsigned char peek(cursor *c);

/* Passes over white space and, if it comes next, the symbol. */
bool accept(cursor *c, unsigned char symbol);

/* The same, and refuses the header if the symbol does not come next. */
bool expect(cursor *c, unsigned char symbol);

/* 'text' or "text", on one line and without escapes. */
bool read_string(cursor *c, slice *s);

/* All up to a space or a symbol: a number, True, False. May be empty. */
slice read_word(cursor *c);

/* word as plain decimal digits, 0 to SIZE_MAX. */
bool read_size(cursor *c, slice word, size_t *size);

bool equals(slice s, const char *word);

/* s for a message: cut, and without bytes that could upset a terminal. */
#define NPY_SHOWN_MAX 44
const char *shown(slice s, char text[NPY_SHOWN_MAX]);

#endif
