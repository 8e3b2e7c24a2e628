/*
 * An array as an .npy file holds it (npy.h).
 */
#ifndef COMMON_NPY_ARRAY_H
#define COMMON_NPY_ARRAY_H

#include <stddef.h>

#define NPY_MAX_DIMS 8

typedef struct {
    size_t dims; /* 0 .. NPY_MAX_DIMS; 0 is one number */
    size_t shape[NPY_MAX_DIMS];
    size_t size; /* product of the shape; 1 for 0 dimensions */
    float *data; /* size elements, row-major; malloc'd, never NULL */
} npy_array;

/* "(12, 245, 32)", as NumPy prints it, into text; returns text. */
char *npy_shape_text(const npy_array *array, char text[], size_t capacity);

#endif
