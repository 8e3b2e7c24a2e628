/*
 * Reads and writes NumPy's .npy files with little-endian fp32 ('<f4') in C
 * order. Also reads fp16 ('<f2') and bf16. bf16 is stored as 16-bit integers
 * ('<u2'), because NumPy has no bf16.
 *
 * Supports format versions 1, 2 and 3, and arrays of 0 to 8 dimensions. Keeps
 * every bit pattern. Source: NumPy's NEP 1, "A simple file format for NumPy
 * arrays".
 */
#ifndef COMMON_NPY_H
#define COMMON_NPY_H

#include <stddef.h>

#include "common/precision.h"

#define NPY_MAX_DIMS 8

typedef struct {
    size_t dims; /* 0 .. NPY_MAX_DIMS; 0: a scalar */
    size_t shape[NPY_MAX_DIMS];
    size_t size; /* number of elements: the product of the shape */
    float *data; /* size elements, row-major; NULL after npy_free or an error */
} npy_array;

/* Each function that returns an int returns 0, or 1 after one line on stderr.
 * After a failed read or npy_new, data is NULL. */

/* npy_new fills the array with zeros. npy_free sets data to NULL. */
int npy_new(npy_array *array, size_t dims, const size_t *shape);
void npy_free(npy_array *array);

/* Writes the shape as NumPy does, such as "(12, 245, 32)". Returns text. */
#define NPY_SHAPE_MAX 184
char *npy_shape_text(const npy_array *array, char text[NPY_SHAPE_MAX]);

/* Read an array of fp32 from a file. npy_read_as also accepts elements of the
 * given type. Both functions allocate memory only if the length of the file
 * matches its header. */
int npy_read(const char *path, npy_array *array);
int npy_read_as(precision type, const char *path, npy_array *array);

/* Writes n arrays to n files. Each array is first written to a temporary file
 * in the same folder, PATH.PID.part. The temporary files are renamed when all
 * are complete. So a failed write changes no file; if a rename fails, the files
 * before it have been replaced. Keeps symbolic links, and the permissions of an
 * existing file. Fails for an existing path that is not a regular file. If
 * arrays is NULL, only tests whether the files can be written. */
#define FILES_TOGETHER 3 /* the largest n: dQ, dK and dV */
int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[]);
static inline int npy_write(const char *path, const npy_array *a)
{
    return npy_write_all(1, &path, &a);
}

#endif
