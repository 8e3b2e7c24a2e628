/*
 * Reading an .npy header (npy_header.h) by recursive descent: any order of the
 * keys, any spacing, either quote; nothing missing, twice or besides.
 */
#include "common/npy/npy_header.h"

#include <string.h>

#define NEEDED                                                                 \
    "only '<f4' in C order; in NumPy: np.save(path, a.astype('<f4', "          \
    "order='C'))"

static bool read_descr(cursor *c)
{
    char text[NPY_SHOWN_MAX];
    slice s;

    if (peek(c) == '[')
        return refuse_header(c, "a structured dtype (%s)", NEEDED);
    if (!read_string(c, &s))
        return false;
    return equals(s, "<f4") ||
           refuse_header(c, "dtype '%s' (%s)", shown(s, text), NEEDED);
}

static bool read_fortran_order(cursor *c)
{
    char text[NPY_SHOWN_MAX];
    slice s = read_word(c);

    if (equals(s, "True"))
        return refuse_header(c, "Fortran order (%s)", NEEDED);
    return equals(s, "False") ||
           refuse_header(c, "fortran_order is '%s' (False is needed)",
                         shown(s, text));
}

/* (), (3,) or (3, 4), with or without a last comma; (3) is a number. */
static bool read_shape(cursor *c, npy_array *array)
{
    bool comma = true;

    if (!accept(c, '('))
        return refuse_header(c, "shape is not a tuple such as (3, 4)");
    while (!accept(c, ')')) {
        if (!comma)
            return expect(c, ',');
        if (array->dims == NPY_MAX_DIMS)
            return refuse_header(c, "more than %d dimensions", NPY_MAX_DIMS);
        if (!read_size(c, read_word(c), &array->shape[array->dims]))
            return false;
        array->dims++;
        comma = accept(c, ',');
    }
    if (array->dims == 1 && !comma)
        return refuse_header(c,
                             "shape (%zu) is not a tuple (one dimension is "
                             "written (%zu,))",
                             array->shape[0], array->shape[0]);
    return true;
}

enum { DESCR, FORTRAN_ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

static bool read_value(cursor *c, int key, npy_array *array)
{
    switch (key) {
    case DESCR:
        return read_descr(c);
    case FORTRAN_ORDER:
        return read_fortran_order(c);
    default:
        return read_shape(c, array);
    }
}

static bool read_pair(cursor *c, bool seen[KEYS], npy_array *array)
{
    char text[NPY_SHOWN_MAX];
    slice name;
    int key = 0;

    if (!read_string(c, &name))
        return false;
    while (key < KEYS && !equals(name, keys[key]))
        key++;
    if (key == KEYS)
        return refuse_header(c,
                             "unknown key '%s' (descr, fortran_order, "
                             "shape)",
                             shown(name, text));
    if (seen[key])
        return refuse_header(c, "key '%s' stands twice", keys[key]);
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
            return refuse_header(c, "key '%s' is missing", keys[key]);
    peek(c);
    return c->next == c->end ||
           refuse_header(c, "malformed header: text after the dictionary");
}

/* Leaves the cursor around the dictionary and its padding. */
static bool read_prefix(cursor *c)
{
    size_t n = (size_t)(c->end - c->file), start, length = 0;

    if (n < 6 || memcmp(c->file, "\x93NUMPY", 6) != 0)
        return refuse_header(c, "not an .npy file (they begin with "
                                "\\x93NUMPY)");
    if (n < 8)
        return refuse_header(c, "truncated in its header");
    if (c->file[6] < 1 || c->file[6] > 3 || c->file[7] != 0)
        return refuse_header(c,
                             "format version %d.%d (1.0, 2.0 and 3.0 are "
                             "known)",
                             c->file[6], c->file[7]);

    start = c->file[6] == 1 ? 10 : 12;
    if (n < start)
        return refuse_header(c, "truncated in its header");
    for (size_t i = start; i-- > 8;) /* little-endian */
        length = length << 8 | c->file[i];
    if (length > NPY_DICTIONARY_MAX)
        return refuse_header(c, "header of %zu bytes (at most %d)", length,
                             NPY_DICTIONARY_MAX);
    if (length > n - start)
        return refuse_header(c, "truncated in its header");
    c->next = c->file + start;
    c->end = c->next + length;
    return true;
}

size_t npy_parse_header(const unsigned char *file, size_t n, npy_array *array,
                        char reason[NPY_REASON_MAX])
{
    cursor c = {file, file, file + n, reason};
    char text[NPY_SHAPE_MAX];

    array->dims = 0;
    if (!read_prefix(&c) || !read_dictionary(&c, array))
        return 0;
    if (!npy_size_of(array->dims, array->shape, &array->size)) {
        npy_shape_text(array, text, sizeof(text));
        refuse_header(&c, "shape %s is more than memory can hold", text);
        return 0;
    }
    return (size_t)(c.end - file);
}
