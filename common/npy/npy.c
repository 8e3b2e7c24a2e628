/*
 * Arrays and .npy files (npy.h). The bytes before the data:
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of what follows         2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 *
 * The keys may come in any order, with any spaces between, in single or double
 * quotes. Other spellings that NumPy does not write, 0x3 or 3L, are refused.
 */
#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- Arrays ---------------------------------------------------------------- */

/* The product of the shape. False if its nonzero dimensions alone come to more
 * bytes than one object may have: so no product of some of them wraps either. */
static bool set_size(npy_array *array)
{
    size_t product = 1;
    bool empty = false;

    for (size_t k = 0; k < array->dims; k++) {
        if (array->shape[k] == 0)
            empty = true;
        else if (array->shape[k] > PTRDIFF_MAX / sizeof(float) / product)
            return false;
        else
            product *= array->shape[k];
    }
    array->size = empty ? 0 : product;
    return true;
}

/* At least one element, so that NULL means only failure. */
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

/* --- The header ------------------------------------------------------------ */

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

/* The same of a word in single or double quotes. */
static bool take_word(const char **at, const char *word)
{
    char single[20], doubled[20];

    snprintf(single, sizeof single, "'%s'", word);
    snprintf(doubled, sizeof doubled, "\"%s\"", word);
    return take(at, single) || take(at, doubled);
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

static const char *const descrs[] = {
    [FP32] = "<f4", [BF16] = "<u2", [FP16] = "<f2"};

enum { DESCR, ORDER, SHAPE, KEYS };
static const char *const keys[KEYS] = {"descr", "fortran_order", "shape"};

/* A type may be that which is asked for, or fp32. */
static bool take_value(const char **at, int key, npy_array *array,
                       precision *type)
{
    if (key == ORDER)
        return take(at, "False");
    if (key == SHAPE)
        return take_shape(at, array);
    if (take_word(at, descrs[FP32])) {
        *type = FP32;
        return true;
    }
    return take_word(at, descrs[*type]);
}

/* Each of the three keys once, and nothing besides. */
static bool take_dictionary(const char **at, npy_array *array, precision *type)
{
    bool comma = take(at, "{"), taken[KEYS] = {false};

    for (; !take(at, "}"); comma = take(at, ",")) {
        int key = 0;

        while (comma && key < KEYS && !take_word(at, keys[key]))
            key++;
        if (!comma || key == KEYS || !take(at, ":") ||
            !take_value(at, key, array, type) || taken[key])
            return false;
        taken[key] = true;
    }
    take(at, ""); /* the padding */
    return taken[DESCR] && taken[ORDER] && taken[SHAPE];
}

/* Sets dims, shape and type; returns where the data begins, 0 after one line. */
static long read_header(FILE *file, const char *path, npy_array *array,
                        precision *type)
{
    const char *needed = descrs[*type];
    char bytes[12 + LONGEST + 1];
    size_t n = fread(bytes, 1, sizeof bytes - 1, file), length = 0, start;
    const char *at;

    if (ferror(file))
        return refused(0, path, "cannot read: %s", strerror(errno));
    if (n >= 4 && memcmp(bytes, "PK\3\4", 4) == 0)
        return refused(0, path,
                       "an .npz archive, not an .npy file (in NumPy: "
                       "np.save('x.npy', np.load('x.npz')['name']))");
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
    if (take_dictionary(&at, array, type) && at == bytes + start + length)
        return (long)(start + length);
    return refused(
        0, path,
        "header not understood from \"%.40s\" on (needed is {'descr': '%s', "
        "'fortran_order': False, 'shape': (3, 4), }, of up to %d dimensions; "
        "in NumPy: array.astype('<f4', order='C'), and for a mask that is "
        "added np.where(mask, 0, -np.inf) first)",
        shown(at).text, needed, NPY_MAX_DIMS);
}

/* --- Files ----------------------------------------------------------------- */

/* From '<f4', the lowest byte first, to what this machine has. */
static void take_numbers(npy_array *array)
{
    for (float *x = array->data; x < array->data + array->size; x++) {
        const unsigned char *b = (unsigned char *)x;
        uint32_t bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                        (uint32_t)b[3] << 24;

        memcpy(x, &bits, sizeof bits); /* any bits, a NaN's too */
    }
}

/* The shape from the header; then the data, if the file is as long as both. */
static int get_array(FILE *file, const char *path, size_t length,
                     precision *type, npy_array *array)
{
    long start = read_header(file, path, array, type);
    size_t bytes = precision_bytes(*type);
    char shape[NPY_SHAPE_MAX], *data;

    if (!start)
        return 1;
    length -= (size_t)start;
    if (!set_size(array) || length != array->size * bytes)
        return refused(1, path,
                       "shape %s does not fit %zu bytes of data (%zu a number)",
                       npy_shape_text(array, shape), length, bytes);
    if (allocate(array, path) != 0)
        return 1;
    fseek(file, start, SEEK_SET);
    data = (char *)array->data + array->size * (sizeof(float) - bytes);
    if (fread(data, bytes, array->size, file) != array->size)
        return refused(1, path, "cannot read: %s",
                       ferror(file) ? strerror(errno) : "the file shrank");
    if (*type == FP32)
        take_numbers(array);
    return 0;
}

int npy_read(const char *path, npy_array *array)
{
    precision fp32 = FP32;

    return npy_read_bits(&fp32, path, array);
}

int npy_read_bits(precision *type, const char *path, npy_array *array)
{
    struct stat s = {0};
    FILE *file;
    int failed;

    *array = (npy_array){0};
    /* A pipe without a writer must be refused before it is opened. */
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        return refused(
            1, path,
            "cannot read: not a regular file (an .npy file is needed)");
    file = fopen(path, "rb");
    if (!file)
        return refused(1, path, "cannot open: %s", strerror(errno));
    failed = get_array(file, path, (size_t)s.st_size, type, array);
    fclose(file);
    if (failed)
        npy_free(array);
    return failed;
}
