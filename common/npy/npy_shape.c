/*
 * Shapes of arrays, and the header that is written for one (npy_header.h).
 */
#include "common/npy/npy_header.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

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

size_t npy_format_header(const npy_array *array, char header[NPY_WRITTEN_MAX])
{
    char shape[NPY_SHAPE_MAX];
    size_t n, end;

    memcpy(header, "\x93NUMPY\x01", 8); /* with its \0: version 1.0 */
    n = 10 + (size_t)snprintf(
                 header + 10, NPY_WRITTEN_MAX - 10,
                 "{'descr': '<f4', 'fortran_order': False, 'shape': %s, }",
                 npy_shape_text(array, shape, sizeof(shape)));
    end = n / 64 * 64 + 64;
    memset(header + n, ' ', end - n);
    header[end - 1] = '\n';
    header[8] = (char)(end - 10);
    header[9] = 0; /* end is NPY_WRITTEN_MAX at most: one byte is enough */
    return end;
}
