/*
 * Writing .npy files (npy_write.h).
 */
#include "common/npy/npy_write.h"

#include "common/npy/replace_file.h"

#include <stdio.h>
#include <string.h>

size_t npy_format_header(const npy_array *array, char header[NPY_WRITTEN_MAX])
{
    char shape[NPY_SHAPE_MAX];
    size_t n, end;

    memcpy(header, "\x93NUMPY\x01", 8); /* with its \0: version 1.0 */
    n = 10 + (size_t)snprintf(
                 header + 10, NPY_WRITTEN_MAX - 10,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
                 npy_shape_text(array, shape, sizeof(shape)));
    end = n / 64 * 64 + 64; /* where the data begins */
    memset(header + n, ' ', end - n);
    header[end - 1] = '\n';
    header[8] = (char)(end - 10);
    header[9] = 0; /* end is 256 at most: one byte is enough */
    return end;
}

static void put(FILE *file, const npy_array *array)
{
    char header[NPY_WRITTEN_MAX];

    fwrite(header, 1, npy_format_header(array, header), file);
    for (size_t i = 0; i < array->size && !ferror(file); i++) {
        float x;

        memcpy(&x, array->data + i, sizeof x);
        npy_from_little_endian(&x, 1);
        fwrite(&x, sizeof x, 1, file);
    }
}

int npy_write(const char *path, const npy_array *array)
{
    replacement r;

    if (replace_begin(&r, path) != 0)
        return 1;
    put(r.file, array);
    return replace_end(&r);
}

int npy_write_both(const char *path_a, const npy_array *a, const char *path_b,
                   const npy_array *b)
{
    replacement r, s;

    if (replace_begin(&r, path_a) != 0)
        return 1;
    if (replace_begin(&s, path_b) != 0) {
        replace_cancel(&r);
        return 1;
    }
    put(r.file, a);
    put(s.file, b);
    return replace_end_both(&r, &s);
}
