/*
 * NumPy's .npy files: little-endian fp32 ('<f4') in C order. 16-bit numbers can
 * be read, too: fp16 ('<f2'), or bf16 as bits ('<u2'), since NumPy has no bf16.
 *
 * Supports format versions 1, 2 and 3 and 0 to 8 dimensions, which may be 0.
 * Keeps every bit pattern. Source: NumPy's NEP 1, "A simple file format for
 * NumPy arrays".
 */
#ifndef COMMON_NPY_H
#define COMMON_NPY_H

#include <stddef.h>

#include "common/precision.h"

#define NPY_MAX_DIMS 8

typedef struct {
    size_t dims; /* 0 .. NPY_MAX_DIMS; 0 is one number */
    size_t shape[NPY_MAX_DIMS];
    size_t size; /* product of the shape; 1 for 0 dimensions */
    float *data; /* size elements, row-major; malloc'd, never NULL */
} npy_array;

/* The functions that return an int return 0; or 1 after one line on stderr, and
 * then the array is empty (data NULL) and no file has changed. */

/* Allocates an array of that shape, filled with zeros. npy_free also empties
 * it. */
int npy_new(npy_array *array, size_t dims, const size_t *shape);
void npy_free(npy_array *array);

/* Writes "(12, 245, 32)", as NumPy prints a shape, into text; returns text. */
#define NPY_SHAPE_MAX 184
char *npy_shape_text(const npy_array *array, char text[NPY_SHAPE_MAX]);

/* Read an array of fp32; npy_read_as also accepts the given type. They allocate
 * memory only if the file has the length that its header gives. */
int npy_read(const char *path, npy_array *array);
int npy_read_as(precision type, const char *path, npy_array *array);

/* Writes n arrays to n files: all, or none. Each goes to a temporary file in
 * the same folder, PATH.PID.part; when all are complete they are renamed. Links
 * and permissions of an existing file are kept; a path that is not a regular
 * file is refused. With arrays NULL it only tests whether the files can be
 * written. */
#define FILES_TOGETHER 3 /* dQ, dK, dV */
int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[]);
static inline int npy_write(const char *path, const npy_array *a)
{
    return npy_write_all(1, &path, &a);
}

#endif
