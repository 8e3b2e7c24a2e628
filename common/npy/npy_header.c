/*
 * The header of an .npy file (npy.h): the bytes before the data.
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of what follows         2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 *
 * The dictionary is read by recursive descent: any order of the keys, any
 * spacing, either quote; nothing missing, twice or besides. Of Python's many
 * spellings only those that NumPy writes: 0x3, 3L, u'descr' are refused.
 */
#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NEEDED                                                                 \
    "only '<f4' in C order; in NumPy: np.save(path, a.astype('<f4', "          \
    "order='C'))"
#define BLANKS  " \t\n\r\f"
#define SYMBOLS BLANKS ",:'\"(){}[]"

enum { SHOWN = 40 };

typedef struct {
    const unsigned char *file, *next, *end; /* next .. end is still unread */
    char *reason;                           /* NPY_REASON_MAX bytes */
    char word[SHOWN + 4]; /* read last, as a message may show it: cut, and
                             without bytes that could upset a terminal */
} cursor;

__attribute__((format(printf, 2, 3))) static bool
refuse(cursor *c, const char *format, ...)
{
    va_list values;

    va_start(values, format);
    vsnprintf(c->reason, NPY_REASON_MAX, format, values);
    va_end(values);
    return false;
}

static bool is_next(const cursor *c, const char *set)
{
    return c->next < c->end && *c->next && strchr(set, *c->next);
}

/* The byte that comes next, after white space; '\0' at the end. */
static unsigned char peek(cursor *c)
{
    while (is_next(c, BLANKS))
        c->next++;
    return c->next < c->end ? *c->next : '\0';
}

static bool accept(cursor *c, unsigned char symbol)
{
    if (peek(c) != symbol)
        return false;
    c->next++;
    return true;
}

static bool expect(cursor *c, unsigned char symbol)
{
    return accept(c, symbol) ||
           refuse(c, "malformed header: expected %c at byte %zu", symbol,
                  (size_t)(c->next - c->file));
}

/* All up to one of these: a number, True, a key. May be empty. */
static char *read_word(cursor *c, const char *stops)
{
    size_t n = 0;

    for (; c->next < c->end && !is_next(c, stops); c->next++)
        if (n < SHOWN)
            c->word[n++] =
                (char)(*c->next >= ' ' && *c->next <= '~' ? *c->next : '?');
        else
            n = SHOWN + 1;
    strcpy(c->word + (n < SHOWN ? n : SHOWN), n > SHOWN ? "..." : "");
    return c->word;
}

/* 'text' or "text", on one line and without escapes. */
static bool read_string(cursor *c)
{
    const char *quote = peek(c) == '"' ? "\"" : "'";
    const unsigned char *from;

    if (!expect(c, (unsigned char)*quote))
        return false;
    from = c->next;
    read_word(c, "'\"\\\n\r");
    if (!is_next(c, quote))
        return refuse(c, "malformed header: no end to the string at byte %zu",
                      (size_t)(from - c->file));
    c->next++;
    return true;
}

/* Plain decimal digits, 0 to SIZE_MAX. */
static bool read_size(cursor *c, size_t *size)
{
    const char *word = (peek(c), read_word(c, SYMBOLS));
    size_t digits = strspn(word, "0123456789");

    if (digits == 0 || (word[digits] && digits < SHOWN) ||
        (digits > 1 && *word == '0'))
        return refuse(c,
                      "shape holds '%s' (dimensions are decimal integers, 0 "
                      "or more)",
                      word);
    return size_from(word, size) ||
           refuse(c, "dimension %s is too large", word);
}

/* (), (3,) or (3, 4), with or without a last comma; (3) is a number. */
static bool read_shape(cursor *c, npy_array *array)
{
    bool comma = true;

    if (!accept(c, '('))
        return refuse(c, "shape is not a tuple such as (3, 4)");
    while (!accept(c, ')')) {
        if (!comma)
            return expect(c, ',');
        if (array->dims == NPY_MAX_DIMS)
            return refuse(c, "more than %d dimensions", NPY_MAX_DIMS);
        if (!read_size(c, &array->shape[array->dims]))
            return false;
        array->dims++;
        comma = accept(c, ',');
    }
    if (array->dims == 1 && !comma)
        return refuse(c,
                      "shape (%zu) is not a tuple (one dimension is written "
                      "(%zu,))",
                      array->shape[0], array->shape[0]);
    return true;
}

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

static bool read_value(cursor *c, int key, npy_array *array)
{
    if (key == SHAPE)
        return read_shape(c, array);
    if (key == DESCR && peek(c) == '[')
        return refuse(c, "a structured dtype (%s)", NEEDED);
    if (key == DESCR)
        return read_string(c) &&
               (!strcmp(c->word, "<f4") ||
                refuse(c, "dtype '%s' (%s)", c->word, NEEDED));
    peek(c);
    read_word(c, SYMBOLS);
    if (!strcmp(c->word, "True"))
        return refuse(c, "Fortran order (%s)", NEEDED);
    return !strcmp(c->word, "False") ||
           refuse(c, "fortran_order is '%s' (False is needed)", c->word);
}

static bool read_pair(cursor *c, bool seen[KEYS], npy_array *array)
{
    int key = 0;

    if (!read_string(c))
        return false;
    while (key < KEYS && strcmp(c->word, keys[key]) != 0)
        key++;
    if (key == KEYS)
        return refuse(c, "unknown key '%s' (descr, fortran_order, shape)",
                      c->word);
    if (seen[key])
        return refuse(c, "key '%s' stands twice", keys[key]);
    seen[key] = true;
    return expect(c, ':') && read_value(c, key, array);
}

static bool read_dictionary(cursor *c, npy_array *array)
{
    bool seen[KEYS] = {false}, comma = true;

    if (!expect(c, '{'))
        return false;
    while (!accept(c, '}')) {
        if (!comma)
            return expect(c, ',');
        if (!read_pair(c, seen, array))
            return false;
        comma = accept(c, ',');
    }
    for (int key = 0; key < KEYS; key++)
        if (!seen[key])
            return refuse(c, "key '%s' is missing", keys[key]);
    peek(c);
    return c->next == c->end ||
           refuse(c, "malformed header: text after the dictionary");
}

/* Leaves the cursor around the dictionary and its padding. */
static bool read_prefix(cursor *c)
{
    size_t n = (size_t)(c->end - c->file), start, length = 0;

    if (n < 6 || memcmp(c->file, "\x93NUMPY", 6) != 0)
        return refuse(c, "not an .npy file (they begin with \\x93NUMPY)");
    if (n >= 8 && (c->file[6] < 1 || c->file[6] > 3 || c->file[7] != 0))
        return refuse(c, "format version %d.%d (1.0, 2.0 and 3.0 are known)",
                      c->file[6], c->file[7]);
    start = n > 6 && c->file[6] == 1 ? 10 : 12;
    for (size_t i = start; n >= start && i-- > 8;) /* little-endian */
        length = length << 8 | c->file[i];
    if (length > NPY_DICTIONARY_MAX)
        return refuse(c, "header of %zu bytes (at most %d)", length,
                      NPY_DICTIONARY_MAX);
    if (n < start || length > n - start)
        return refuse(c, "truncated in its header");
    c->next = c->file + start;
    c->end = c->next + length;
    return true;
}

size_t npy_parse_header(const unsigned char *file, size_t n, npy_array *array,
                        char reason[NPY_REASON_MAX])
{
    cursor c = {file, file, file + n, reason, ""};
    char text[NPY_SHAPE_MAX];

    array->dims = 0;
    if (!read_prefix(&c) || !read_dictionary(&c, array))
        return 0;
    if (!npy_size_of(array->dims, array->shape, &array->size)) {
        npy_shape_text(array, text, sizeof(text));
        refuse(&c, "shape %s is more than memory can hold", text);
        return 0;
    }
    return (size_t)(c.end - file);
}
