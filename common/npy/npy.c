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
static void little_endian(float *x, size_t n)
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

/* The file, at its data, and the shape alone; NULL after one line. */
static FILE *open_array(const char *path, npy_array *array)
{
    char shape[NPY_SHAPE_MAX];
    struct stat s = {0};
    FILE *file = NULL;
    long data;

    *array = (npy_array){0};
    /* A pipe without a writer must be refused before it is opened. */
    if (stat(path, &s) == 0 && !S_ISREG(s.st_mode))
        refused(1, path,
                "cannot read: not a regular file (an .npy file is needed)");
    else if (!(file = fopen(path, "rb")))
        refused(1, path, "cannot open: %s", strerror(errno));
    if (!file)
        return NULL;
    data = npy_read_header(file, path, array);
    if (data && set_size(array) &&
        (uintmax_t)s.st_size == (uintmax_t)data + array->size * sizeof(float)) {
        fseek(file, data, SEEK_SET);
        return file;
    }
    if (data)
        refused(1, path, "shape %s does not fit %ju bytes of data (4 a number)",
                npy_shape_text(array, shape), (uintmax_t)(s.st_size - data));
    fclose(file);
    return NULL;
}

int npy_read(const char *path, npy_array *array)
{
    FILE *file = open_array(path, array);
    int failed = !file || allocate(array, path);

    if (!failed &&
        fread(array->data, sizeof(float), array->size, file) != array->size)
        failed = refused(1, path, "cannot read: %s",
                         ferror(file) ? strerror(errno) : "the file shrank");
    if (file)
        fclose(file);
    if (failed)
        npy_free(array);
    little_endian(array->data, array->size);
    return failed;
}

static void put(FILE *file, const npy_array *array)
{
    char header[NPY_HEADER_MAX];

    fwrite(header, 1, npy_format_header(array, header), file);
    for (size_t i = 0; i < array->size && !ferror(file); i++) {
        float x;

        memcpy(&x, array->data + i, sizeof x); /* any bits, a NaN's too */
        little_endian(&x, 1);
        fwrite(&x, sizeof x, 1, file);
    }
}

int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[])
{
    replacement r[NPY_TOGETHER];

    for (size_t k = 0; k < n; k++)
        if (replace_begin(&r[k], paths[k]) != 0)
            return replace_end(r, k, 1);
    for (size_t k = 0; k < n; k++)
        put(r[k].file, arrays[k]);
    return replace_end(r, n, 0);
}

int npy_write(const char *path, const npy_array *array)
{
    return npy_write_all(1, &path, &array);
}
