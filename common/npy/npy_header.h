/*
 * The header of an .npy file: the bytes before the data. Nothing here touches
 * a file, so that every malformed header can be tried from memory.
 *
 *   \x93NUMPY, major, minor        8 bytes
 *   length of what follows         2 bytes (version 1) or 4 (versions 2, 3)
 *   {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
 *   spaces and a newline, so that the data begins at a multiple of 64
 */
#ifndef COMMON_NPY_HEADER_H
#define COMMON_NPY_HEADER_H

#include "common/npy/npy_array.h"
#include "common/npy/npy_literals.h"

#define NPY_DICTIONARY_MAX 10000 /* NumPy's own limit */
#define NPY_HEADER_MAX     (12 + NPY_DICTIONARY_MAX)
#define NPY_WRITTEN_MAX    256 /* 8 dimensions of 20 digits fit */
#define NPY_SHAPE_MAX      200 /* as text, with its \0 */

/*
 * Reads the header in a file's first n bytes (all of a file shorter than
 * NPY_HEADER_MAX) into the array's dims, shape and size. Returns the offset of
 * the data, or 0 with the reason, one line without its newline.
 */
size_t npy_parse_header(const unsigned char *file, size_t n, npy_array *array,
                        char reason[NPY_REASON_MAX]);

/* The array's version 1.0 header; returns its length, a multiple of 64. */
size_t npy_format_header(const npy_array *array, char header[NPY_WRITTEN_MAX]);

/*
 * The product of the shape. False if its nonzero dimensions alone come to more
 * bytes than one object may have: so no product of some of them wraps either.
 */
bool npy_size_of(size_t dims, const size_t *shape, size_t *size);

#endif
