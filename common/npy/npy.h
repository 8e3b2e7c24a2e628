/*
 * NumPy's .npy files, strictly: little-endian fp32 ('<f4') in C order.
 *
 * Reads format versions 1, 2 and 3, 0 to 8 dimensions, zero-size ones too, and
 * every bit pattern as it is. Everything else is refused with one line that
 * names the file and the reason. Source: NumPy's "NEP 1, a simple file format
 * for NumPy arrays" and numpy.lib.format. On a big-endian machine too.
 */
#ifndef COMMON_NPY_H
#define COMMON_NPY_H

#include "common/npy/npy_array.h"

/*
 * Reads the regular file at path: memory is taken only when the file's size
 * is exactly what its header says. Returns 0, or 1 after one line on stderr,
 * with *array left empty (data NULL).
 */
int npy_read(const char *path, npy_array *array);

/*
 * An array of that shape, filled with zeros. Returns 0, or 1 after one line
 * on stderr (more than 8 dimensions, a size that overflows, no memory).
 */
int npy_new(npy_array *array, size_t dims, const size_t *shape);

/*
 * Writes the array as version 1.0 to a temporary name beside path, then
 * renames it (replace_file.h): path holds the whole array or what it held
 * before. Returns 0, or 1 after one line on stderr.
 */
int npy_write(const char *path, const npy_array *array);

/* The same for two arrays that belong together: if either cannot be written,
 * neither is (but for a last rename that fails: see replace_end_both). */
int npy_write_both(const char *path_a, const npy_array *a, const char *path_b,
                   const npy_array *b);

/* Frees the data and empties the array; safe to call twice. */
void npy_free(npy_array *array);

#endif
