/*
 * NumPy's .npy files, strictly: little-endian fp32 ('<f4') in C order, on any
 * machine; and to read, where it is asked for, numbers of 16 bits: fp16 ('<f2'),
 * or bf16, for which NumPy has no name, as its bits ('<u2').
 *
 * Reads format versions 1, 2 and 3, 0 to 8 dimensions, zero-size ones too, and
 * every bit pattern as it is. Source: NumPy's "NEP 1, a simple file format for
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

/* What returns an int returns 0, or 1 after one line on stderr: then the array
 * is empty (data NULL), and no file is new. */

/* An array of that shape, filled with zeros. Freeing it empties it, too. */
int npy_new(npy_array *array, size_t dims, const size_t *shape);
void npy_free(npy_array *array);

/* "(12, 245, 32)", as NumPy prints it, into text; returns text. */
#define NPY_SHAPE_MAX 184
char *npy_shape_text(const npy_array *array, char text[NPY_SHAPE_MAX]);

/* fp32; or of that type or fp32. Memory is taken only when the file is as long as
 * its header says. */
int npy_read(const char *path, npy_array *array);
int npy_read_as(precision type, const char *path, npy_array *array);

/* The same, but *type is then the file's, and 16 bits are left as they are there,
 * at the end of the data. */
int npy_read_bits(precision *type, const char *path, npy_array *array);

/*
 * Writes so that a name never means half a file: each goes to a temporary file
 * beside it, PATH.0.part, and takes the place of the old one in one step when all
 * of them are written; a signal waits until then. (One thing the line can only
 * tell: if the second cannot be renamed, the first is new.) A path may hold
 * nothing yet, a regular file that may be written and keeps its permissions, or
 * links to one, which stay; not a name in .part. Without arrays it only tries
 * whether they could be written.
 */
#define FILES_TOGETHER 3 /* dQ, dK, dV */
int npy_write_all(size_t n, const char *const paths[],
                  const npy_array *const arrays[]);
static inline int npy_write(const char *path, const npy_array *a)
{
    return npy_write_all(1, &path, &a);
}

#endif
