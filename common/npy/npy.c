/*
 * Allocates arrays and reads .npy files (npy.h). A file begins with
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of the header           2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 */
#include "common/npy/npy.h"

#include "common/memory_limit.h"
#include "common/precision.h"
#include "common/print/outside.h"
#include "common/print/report.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Returns false if the nonzero dimensions need more than PTRDIFF_MAX bytes. */
static bool set_size(npy_array *array)
{
    size_t product = 1;
    bool empty = false;

    for (size_t k = 0; k < array->dims; k++) {
        size_t n = array->shape[k];

        empty = empty || n == 0;
        if (n && n > PTRDIFF_MAX / sizeof(float) / product)
            return false;
        product *= n ? n : 1;
    }
    array->size = empty ? 0 : product;
    return true;
}

/* Allocates at least one element, so that NULL always means a failure. */
static int allocate(npy_array *array, const char *name)
{
    char shape[NPY_SHAPE_MAX], why[MEMORY_WHY] = "";
    bool fits = set_size(array);

    if (fits && !memory_exceeded_by((double)array->size * sizeof(float), why))
        array->data = calloc(array->size ? array->size : 1, sizeof(float));
    if (array->data)
        return 0;
    refused(1, name, "no memory for shape %s%s%s", npy_shape_text(array, shape),
            *why ? ", in all " : "", why);
    npy_free(array);
    return 1;
}

int npy_new(npy_array *array, size_t dims, const size_t *shape)
{
    *array = (npy_array){.dims = dims};
    for (size_t k = 0; k < dims; k++)
        array->shape[k] = shape[k];
    return allocate(array, "array");
}

void npy_free(npy_array *array)
{
    free(array->data);
    *array = (npy_array){0};
}

char *npy_shape_text(const npy_array *array, char text[NPY_SHAPE_MAX])
{
    char *end = text + sprintf(text, "(");

    for (size_t k = 0; k < array->dims; k++)
        end += sprintf(end, k ? ", %zu" : "%zu", array->shape[k]);
    strcpy(end, array->dims == 1 ? ",)" : ")");
    return text;
}

enum { LONGEST = 10000 /* bytes; NumPy has the same limit */ };

static const char *const descrs[] = {
    [FP32] = "<f4", [BF16] = "<u2", [FP16] = "<f2"};

static const char blanks[] = " \t\n\f";

/* Returns the end of the text, which may have blanks before it. Returns NULL if
 * the text is not at `at`, or if `at` is NULL. */
static const char *after(const char *at, const char *text)
{
    size_t n = strlen(text);

    if (!at)
        return NULL;
    at += strspn(at, blanks);
    return strncmp(at, text, n) == 0 ? at + n : NULL;
}

/* Like after, for a word in single or double quotes. */
static const char *after_quoted(const char *at, const char *word)
{
    char text[20];
    const char *end;

    snprintf(text, sizeof text, "'%s'", word);
    end = after(at, text);
    snprintf(text, sizeof text, "\"%s\"", word);
    return end ? end : after(at, text);
}

/* Returns the end of the comma at `at`, or `at` if the closing bracket follows
 * without a comma, or NULL. */
static const char *after_comma(const char *at, const char *bracket)
{
    const char *end = after(at, ",");

    return end ? end : after(at, bracket) ? at : NULL;
}

/* Reads a shape, such as (), (3,) or (3, 4), with or without a last comma. As
 * in Python, (3) is not a tuple. Returns its end, or NULL. */
static const char *read_shape(const char *at, npy_array *array)
{
    char *end;

    at = after(at, "(");
    for (array->dims = 0; at && !after(at, ")"); array->dims++) {
        at += strspn(at, blanks);
        if (array->dims == NPY_MAX_DIMS || !isdigit((unsigned char)*at) ||
            (*at == '0' && isdigit((unsigned char)at[1])))
            return NULL;
        array->shape[array->dims] = strtoul(at, &end, 10);
        at = array->dims ? after_comma(end, ")") : after(end, ",");
    }
    return after(at, ")");
}

/* Returns the end of the pair's value, or NULL. */
static const char *read_pair(const char *at, npy_array *array, precision wanted,
                             precision *type, bool seen[3])
{
    const char *descr = after(after_quoted(at, "descr"), ":");
    const char *order = after(after_quoted(at, "fortran_order"), ":");
    const char *shape = after(after_quoted(at, "shape"), ":");
    const char *fp32 = after_quoted(descr, descrs[FP32]);

    seen[0] |= descr != NULL;
    seen[1] |= order != NULL;
    seen[2] |= shape != NULL;
    if (descr)
        *type = fp32 ? FP32 : wanted;
    return fp32    ? fp32
           : descr ? after_quoted(descr, descrs[wanted])
           : order ? after(order, "False")
                   : read_shape(shape, array);
}

/* Reads a Python dictionary with exactly these keys, as NumPy does. If a key is
 * doubled, the last value is used. A line cannot begin with a blank, except
 * between the braces. */
static bool read_dictionary(const char *header, size_t length, npy_array *array,
                            precision *type)
{
    const precision wanted = *type;
    const char *at = header + strspn(header, " \t"), *end = header + length;
    bool seen[3] = {false};

    at = *at == '{' ? at + 1 : NULL;
    while (at && !after(at, "}"))
        at = after_comma(read_pair(at, array, wanted, type, seen), "}");
    at = after(at, "}");
    return at && after(at, "") == end &&
           (!strchr(at, '\n') || end[-1] == '\n') && seen[0] && seen[1] &&
           seen[2];
}

/* Prints one line: what is wrong with the header. Returns 0. */
static long refuse_header(const char *path, const char *header,
                          const char *needed)
{
    const char *descr = strstr(header, "'descr': '");
    char type[20], allowed[20] = "'<f4'";

    if (strcmp(needed, descrs[FP32]) != 0)
        snprintf(allowed, sizeof allowed, "'<f4' or '%s'", needed);
    if (descr && sscanf(descr, "'descr': '%19[^']", type) == 1 &&
        strcmp(type, descrs[FP32]) != 0 && strcmp(type, needed) != 0)
        return refused(0, path, "type '%s' (allowed: %s, as %s)",
                       shown(type).text, allowed,
                       strcmp(type, "|b1") == 0
                           ? "np.where(m, 0, -np.inf).astype('f4')"
                           : "x.astype('<f4') in NumPy");
    if (strstr(header, "'fortran_order': True"))
        return refused(0, path,
                       "Fortran order (allowed: C order, as "
                       "np.ascontiguousarray(x))");
    return refused(
        0, path,
        "unsupported header (needed: descr %s, fortran_order, shape of at "
        "most %d dimensions)",
        allowed, NPY_MAX_DIMS);
}

/* Returns the file position of the data, or 0 after one line on stderr. */
static long read_header(FILE *file, const char *path, npy_array *array,
                        precision *type)
{
    const char *needed = descrs[*type];
    char bytes[12 + LONGEST + 1];
    size_t n = fread(bytes, 1, sizeof bytes - 1, file), length = 0, start;

    if (n >= 4 && memcmp(bytes, "PK\3\4", 4) == 0)
        return refused(0, path,
                       "an .npz archive (expected: an .npy file; in NumPy: "
                       "np.save(\"x.npy\", archive[name]))");
    if (n < 12 || memcmp(bytes, "\x93NUMPY", 6) != 0)
        return refused(0, path,
                       "not an .npy file (expected: begins with \\x93NUMPY)");
    if (bytes[6] < 1 || bytes[6] > 3 || bytes[7] != 0)
        return refused(0, path, "format version %d.%d (allowed: 1.0, 2.0, 3.0)",
                       bytes[6], bytes[7]);
    start = bytes[6] == 1 ? 10 : 12;
    for (size_t k = start; k-- > 8;) /* little-endian */
        length = length << 8 | (unsigned char)bytes[k];
    if (length > LONGEST || length > n - start)
        return refused(0, path,
                       "header of %zu bytes (allowed: at most %d, and the file "
                       "must contain them)",
                       length, LONGEST);
    bytes[start + length] = '\0';
    if (read_dictionary(bytes + start, length, array, type))
        return (long)(start + length);
    return refuse_header(path, bytes + start, needed);
}

/* The elements have 4 or 2 bytes each and are at the end of array->data. */
static void convert(npy_array *array, precision type)
{
    size_t bytes = precision_bytes(type);
    const unsigned char *from =
        (unsigned char *)array->data + array->size * (sizeof(float) - bytes);

    for (size_t i = 0; i < array->size; i++, from += bytes) {
        uint32_t bits = from[0] | (uint32_t)from[1] << 8;

        if (type == FP32) {
            bits |= (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
            memcpy(&array->data[i], &bits, sizeof bits); /* NaNs unchanged */
        } else {
            array->data[i] = from_narrow(type, (uint16_t)bits);
        }
    }
}

/* Reads the data only if the file's length matches the header. */
static int read_array(FILE *file, const char *path, size_t length,
                      precision type, npy_array *array)
{
    long start = read_header(file, path, array, &type);
    size_t bytes = precision_bytes(type), got;
    char shape[NPY_SHAPE_MAX], *data;

    if (!start)
        return 1;
    length -= (size_t)start;
    if (!set_size(array) || length != array->size * bytes)
        return refused(1, path,
                       "shape %s does not fit %zu bytes of data (%zu bytes per "
                       "element)",
                       npy_shape_text(array, shape), length, bytes);
    if (allocate(array, path) != 0)
        return 1;
    progress("reading %s", shown(path).text);
    fseek(file, start, SEEK_SET);
    data = (char *)array->data + array->size * (sizeof(float) - bytes);
    got = fread(data, bytes, array->size, file);
    if (got != array->size)
        return refused(1, path, "cannot read: %s",
                       ferror(file) ? strerror(errno)
                                    : "the file became shorter");
    convert(array, type);
    progress_done();
    return 0;
}

int npy_read_as(precision type, const char *path, npy_array *array)
{
    struct stat s = {0};
    FILE *file;
    int failed;

    *array = (npy_array){0};
    /* fopen would block on a pipe without a writer. */
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return refused(
            1, path,
            "cannot read: not a regular file (expected: an .npy file)");
    file = fopen(path, "rb");
    if (!file)
        return refused(1, path, "cannot open: %s", strerror(errno));
    failed = read_array(file, path, (size_t)s.st_size, type, array);
    fclose(file);
    if (failed)
        npy_free(array);
    return failed;
}

int npy_read(const char *path, npy_array *array)
{
    return npy_read_as(FP32, path, array);
}
