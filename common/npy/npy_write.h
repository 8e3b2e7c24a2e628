/*
 * Writing .npy files: whole or not at all.
 */
#ifndef COMMON_NPY_WRITE_H
#define COMMON_NPY_WRITE_H

#include "common/npy/npy.h"

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

/* The array's version 1.0 header; returns its length, a multiple of 64. */
#define NPY_WRITTEN_MAX 256 /* 8 dimensions of 20 digits fit */
size_t npy_format_header(const npy_array *array, char header[NPY_WRITTEN_MAX]);

#endif
