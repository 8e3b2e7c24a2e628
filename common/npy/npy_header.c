/*
 * The header of an .npy file (npy.h): the bytes before the data.
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of what follows         2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 *
 * The keys may come in any order, with any spaces between. Of Python's many
 * spellings only those that NumPy writes: 0x3, 3L, "descr" are refused.
 */
#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST = 10000 /* NumPy's own limit */ };

/* If text comes next, *at moves behind it. The others do likewise. */
static bool take(const char **at, const char *text)
{
    size_t n = strlen(text);

    *at += strspn(*at, " \t\n\r\f");
    if (strncmp(*at, text, n) != 0)
        return false;
    *at += n;
    return true;
}

/* (), (3,) or (3, 4), with or without a last comma; (3) is a number. */
static bool take_shape(const char **at, npy_array *array)
{
    bool comma = take(at, "(");
    char *end;

    for (array->dims = 0; !take(at, ")"); array->dims++) {
        if (!comma || array->dims == NPY_MAX_DIMS || !isdigit(**at) ||
            (**at == '0' && isdigit((*at)[1])))
            return false;
        array->shape[array->dims] = strtoul(*at, &end, 10); /* or ULONG_MAX */
        *at = end;
        comma = take(at, ",");
    }
    return array->dims != 1 || comma;
}

enum { NOTHING = 0, DESCR = 1, ORDER = 2, SHAPE = 4, ALL = 7 };

/* A key and its value: which of the three. */
static unsigned take_entry(const char **at, npy_array *array)
{
    if (take(at, "'descr'"))
        return take(at, ":") && take(at, "'<f4'") ? DESCR : NOTHING;
    if (take(at, "'fortran_order'"))
        return take(at, ":") && take(at, "False") ? ORDER : NOTHING;
    if (take(at, "'shape'") && take(at, ":") && take_shape(at, array))
        return SHAPE;
    return NOTHING;
}

/* Each of the three keys once, and nothing besides. */
static bool take_dictionary(const char **at, npy_array *array)
{
    bool comma = take(at, "{");
    unsigned taken = 0;

    for (; !take(at, "}"); comma = take(at, ",")) {
        unsigned key = comma ? take_entry(at, array) : NOTHING;

        if (key == NOTHING || taken & key)
            return false;
        taken |= key;
    }
    take(at, ""); /* the padding */
    return taken == ALL;
}

long npy_read_header(FILE *file, const char *path, npy_array *array)
{
    char bytes[12 + LONGEST + 1];
    size_t n = fread(bytes, 1, sizeof bytes - 1, file), length = 0, start;
    const char *at;

    if (ferror(file))
        return refused(0, path, "cannot read: %s", strerror(errno));
    if (n < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return refused(0, path,
                       "not an .npy file (they begin with \\x93NUMPY)");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return refused(0, path,
                       "format version %d.%d (1.0, 2.0 and 3.0 are known)",
                       bytes[6], bytes[7]);
    start = bytes[6] == 1 ? 10 : 12;
    for (size_t k = start; k-- > 8;) /* little-endian */
        length = length << 8 | (unsigned char)bytes[k];
    if (length > n - start)
        return refused(0, path,
                       "header of %zu bytes (at most %d, all in the file)",
                       length, LONGEST);
    bytes[start + length] = '\0';
    at = bytes + start;
    if (take_dictionary(&at, array) && at == bytes + start + length)
        return (long)(start + length);
    return refused(
        0, path,
        "header not understood from \"%.40s\" on (needed is {'descr': '<f4', "
        "'fortran_order': False, 'shape': (3, 4), }, of up to %d dimensions; "
        "in NumPy: array.astype('<f4', order='C'), and for a mask that is "
        "added np.where(mask, 0, -np.inf) first)",
        shown(at).text, NPY_MAX_DIMS);
}

size_t npy_format_header(const npy_array *array, char header[NPY_HEADER_MAX])
{
    char shape[NPY_SHAPE_MAX];
    int n = sprintf(header,
                    "\x93NUMPY%c%c%c%c{'descr': '<f4', 'fortran_order': False, "
                    "'shape': %s, }",
                    1, 0, 0, 0, npy_shape_text(array, shape));
    size_t end = (size_t)n / 64 * 64 + 64; /* where the data begins */

    memset(header + n, ' ', end - (size_t)n);
    header[end - 1] = '\n';
    header[8] = (char)(end - 10); /* at most 246: one byte is enough */
    return end;
}
