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

#include <stdbool.h>
#include <stddef.h>

#define NPY_MAX_DIMS 8

typedef struct {
    size_t dims; /* 0 .. NPY_MAX_DIMS; 0 is one number */
    size_t shape[NPY_MAX_DIMS];
    size_t size; /* product of the shape; 1 for 0 dimensions */
    float *data; /* size elements, row-major; malloc'd, never NULL */
} npy_array;

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

/* Frees the data and empties the array; safe to call twice. */
void npy_free(npy_array *array);

/* "(12, 245, 32)", as NumPy prints it, into text; returns text. */
#define NPY_SHAPE_MAX 200
char *npy_shape_text(const npy_array *array, char text[], size_t capacity);

/* --- The header ------------------------------------------------------------ */

#define NPY_DICTIONARY_MAX 10000 /* NumPy's own limit */
#define NPY_HEADER_MAX     (12 + NPY_DICTIONARY_MAX)
#define NPY_REASON_MAX     240

/*
 * Reads the header in a file's first n bytes (all of a file shorter than
 * NPY_HEADER_MAX) into the array's dims, shape and size. Returns the offset of
 * the data, or 0 with the reason, one line without its newline. It touches no
 * file, so that every malformed header can be tried from memory.
 */
size_t npy_parse_header(const unsigned char *file, size_t n, npy_array *array,
                        char reason[NPY_REASON_MAX]);

/* From '<f4', four bytes a number, the lowest first, to what this machine has,
 * in place, or back: nothing changes, or the bytes change their order. */
void npy_from_little_endian(float *x, size_t n);

/*
 * The product of the shape. False if its nonzero dimensions alone come to more
 * bytes than one object may have: so no product of some of them wraps either.
 */
bool npy_size_of(size_t dims, const size_t *shape, size_t *size);

#endif
