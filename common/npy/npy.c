/*
 * Reading .npy files (npy.h).
 */
#include "common/npy/npy.h"

#include "common/print/outside.h"

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static int refuse(const char *path, const char *what, const char *detail)
{
    fprintf(stderr, "%s: %s%s\n", shown(path).text, what, detail);
    return 1;
}

bool npy_size_of(size_t dims, const size_t *shape, size_t *size)
{
    size_t product = 1;
    bool empty = false;

    for (size_t k = 0; k < dims; k++) {
        if (shape[k] == 0)
            empty = true;
        else if (shape[k] > PTRDIFF_MAX / sizeof(float) / product)
            return false;
        else
            product *= shape[k];
    }
    *size = empty ? 0 : product;
    return true;
}

char *npy_shape_text(const npy_array *array, char text[], size_t capacity)
{
    size_t n = 0;

    snprintf(text, capacity, "(");
    for (size_t k = 0; k < array->dims; k++) {
        n = strlen(text);
        snprintf(text + n, capacity - n, k ? ", %zu" : "%zu", array->shape[k]);
    }
    n = strlen(text);
    snprintf(text + n, capacity - n, array->dims == 1 ? ",)" : ")");
    return text;
}

/* Zeroed; at least one element, so that NULL means only failure. */
static float *allocate(size_t size)
{
    return calloc(size ? size : 1, sizeof(float));
}

int npy_new(npy_array *array, size_t dims, const size_t *shape)
{
    char text[NPY_SHAPE_MAX];

    *array = (npy_array){.dims = dims};
    if (dims > NPY_MAX_DIMS) {
        fprintf(stderr, "array: %zu dimensions (at most %d)\n", dims,
                NPY_MAX_DIMS);
        return 1;
    }
    for (size_t k = 0; k < dims; k++)
        array->shape[k] = shape[k];
    if (npy_size_of(dims, shape, &array->size))
        array->data = allocate(array->size);
    if (array->data)
        return 0;
    refuse("array", "no memory for shape ",
           npy_shape_text(array, text, sizeof(text)));
    npy_free(array);
    return 1;
}

void npy_free(npy_array *array)
{
    free(array->data);
    *array = (npy_array){0};
}

void npy_from_little_endian(float *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char b[4];
        uint32_t bits;

        memcpy(b, x + i, 4);
        bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
               (uint32_t)b[3] << 24;
        memcpy(x + i, &bits, 4);
    }
}

static int read_array(const char *path, FILE *file, uintmax_t bytes,
                      npy_array *array)
{
    unsigned char header[NPY_HEADER_MAX];
    char reason[NPY_REASON_MAX], shape[NPY_SHAPE_MAX];
    size_t n = fread(header, 1, sizeof(header), file), offset, want;

    if (ferror(file))
        return refuse(path, "cannot read: ", strerror(errno));
    offset = npy_parse_header(header, n, array, reason);
    if (offset == 0)
        return refuse(path, reason, "");
    want = array->size * sizeof(float);
    if (bytes != offset + want) {
        fprintf(stderr, "%s: shape %s needs %zu bytes of data, %s\n",
                shown(path).text, npy_shape_text(array, shape, sizeof(shape)),
                want,
                bytes < offset + want ? "the file holds fewer"
                                      : "more bytes follow");
        return 1;
    }
    array->data = allocate(array->size);
    if (!array->data)
        return refuse(path, "no memory for the array", "");
    if (fseek(file, (long)offset, SEEK_SET) != 0 ||
        fread(array->data, sizeof(float), array->size, file) != array->size)
        return refuse(path, "cannot read: ",
                      ferror(file) ? strerror(errno) : "the file shrank");
    npy_from_little_endian(array->data, array->size);
    return 0;
}

int npy_read(const char *path, npy_array *array)
{
    struct stat s;
    FILE *file = NULL;
    int failed;

    *array = (npy_array){0};
    /* A pipe without a writer must be refused before it is opened. */
    if (stat(path, &s) != 0)
        return refuse(path, "cannot open: ", strerror(errno));
    if (S_ISDIR(s.st_mode))
        return refuse(path, "is a directory (an .npy file is needed)", "");
    if (!S_ISREG(s.st_mode))
        return refuse(path, "not a regular file (its size must be known first)",
                      "");
    file = fopen(path, "rb");
    if (!file)
        return refuse(path, "cannot open: ", strerror(errno));
    failed = read_array(path, file, (uintmax_t)s.st_size, array);
    fclose(file);
    if (failed)
        npy_free(array);
    return failed;
}
