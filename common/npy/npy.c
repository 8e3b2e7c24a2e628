/*
 * Arrays and .npy files (npy.h).
 */
#include "common/npy/npy.h"

#include "common/npy/replace_file.h"
#include "common/print/outside.h"

#include <errno.h>
#include <stdint.h>
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

/* --- Files ----------------------------------------------------------------- */

/* From '<f4', the lowest byte first, to what this machine has, or back. */
static void little_endian(float *x)
{
    unsigned char b[4];
    uint32_t bits;

    memcpy(b, x, 4);
    bits = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
           (uint32_t)b[3] << 24;
    memcpy(x, &bits, 4);
}

/* The shape from the header; then the data, if the file is as long as both. */
static int get_array(FILE *file, const char *path, size_t length,
                     npy_array *array)
{
    long start = npy_read_header(file, path, array);
    char shape[NPY_SHAPE_MAX];

    if (!start)
        return 1;
    length -= (size_t)start;
    if (!set_size(array) || length != array->size * sizeof(float))
        return refused(1, path,
                       "shape %s does not fit %zu bytes of data (4 a number)",
                       npy_shape_text(array, shape), length);
    if (allocate(array, path) != 0)
        return 1;
    fseek(file, start, SEEK_SET);
    if (fread(array->data, sizeof(float), array->size, file) != array->size)
        return refused(1, path, "cannot read: %s",
                       ferror(file) ? strerror(errno) : "the file shrank");
    for (size_t i = 0; i < array->size; i++)
        little_endian(array->data + i);
    return 0;
}

int npy_read(const char *path, npy_array *array)
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
    failed = get_array(file, path, (size_t)s.st_size, array);
    fclose(file);
    if (failed)
        npy_free(array);
    return failed;
}

static void put_array(FILE *file, size_t k, const void *of)
{
    const npy_array *array = ((const npy_array *const *)of)[k];
    char header[NPY_HEADER_MAX];

    fwrite(header, 1, npy_format_header(array, header), file);
    for (size_t i = 0; i < array->size && !ferror(file); i++) {
        float x;

        memcpy(&x, array->data + i, sizeof x); /* any bits, a NaN's too */
        little_endian(&x);
        fwrite(&x, sizeof x, 1, file);
    }
}

int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[])
{
    return replace_files(n, paths, put_array, arrays);
}

int npy_write(const char *path, const npy_array *array)
{
    return npy_write_all(1, &path, &array);
}
