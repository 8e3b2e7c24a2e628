/*
 * Allocates arrays and reads .npy files (npy.h). A file begins with
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of the header           2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 */
#include "common/npy/npy.h"

#include "common/precision.h"
#include "common/print/outside.h"

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
    char shape[NPY_SHAPE_MAX];

    if (set_size(array))
        array->data = calloc(array->size ? array->size : 1, sizeof(float));
    if (array->data)
        return 0;
    refused(1, name, "no memory for shape %s", npy_shape_text(array, shape));
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

/* Returns the header from the value of a quoted key on, or NULL. */
static const char *value_of(const char *header, const char *key)
{
    const char *at = strstr(header, key);

    if (!at || at == header || (at[-1] != '\'' && at[-1] != '"'))
        return NULL;
    at += strlen(key);
    at += *at == '\'' || *at == '"';
    at += strspn(at, " :");
    return at;
}

static bool is_descr(const char *at, const char *descr)
{
    size_t n = strlen(descr);

    return (*at == '\'' || *at == '"') && strncmp(at + 1, descr, n) == 0 &&
           at[n + 1] == *at;
}

/* Reads a shape, such as (), (3,) or (3, 4), with or without a last comma. */
static bool read_shape(const char *at, npy_array *array)
{
    if (*at++ != '(')
        return false;
    for (array->dims = 0; *at != ')'; array->dims++) {
        char *end;

        if (array->dims == NPY_MAX_DIMS || !isdigit((unsigned char)*at))
            return false;
        array->shape[array->dims] = strtoul(at, &end, 10);
        at = end + strspn(end, " ");
        if (*at != ',' && *at != ')')
            return false;
        at += *at == ',';
        at += strspn(at, " ");
    }
    return true;
}

static bool read_dictionary(const char *header, npy_array *array,
                            precision *type)
{
    const char *descr = value_of(header, "descr");
    const char *order = value_of(header, "fortran_order");
    const char *shape = value_of(header, "shape");

    if (!descr || !order || !shape || strncmp(order, "False", 5) != 0)
        return false;
    if (is_descr(descr, descrs[FP32]))
        *type = FP32;
    else if (!is_descr(descr, descrs[*type]))
        return false;
    return read_shape(shape, array);
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
    if (read_dictionary(bytes + start, array, type))
        return (long)(start + length);
    return refused(
        0, path,
        "unsupported header: %.80s (expected: {'descr': '%s', "
        "'fortran_order': False, 'shape': (3, 4), } with up to %d dimensions; "
        "in NumPy: array.astype('<f4', order='C'), for an additive mask "
        "after np.where(mask, 0, -np.inf))",
        shown(bytes + start).text, needed, NPY_MAX_DIMS);
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
    fseek(file, start, SEEK_SET);
    data = (char *)array->data + array->size * (sizeof(float) - bytes);
    got = fread(data, bytes, array->size, file);
    if (got != array->size)
        return refused(1, path, "cannot read: %s",
                       ferror(file) ? strerror(errno)
                                    : "the file became shorter");
    convert(array, type);
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
