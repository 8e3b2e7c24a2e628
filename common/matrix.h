/*
 * Row-major float matrices and views of them. A view shares its data with the
 * matrix that it was cut from; nothing here allocates.
 */
#ifndef COMMON_MATRIX_H
#define COMMON_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    float *data;
    size_t rows, cols;
    size_t stride; /* elements from one row to the next, >= cols */
} matrix;

/* rows x cols contiguous floats as a matrix. */
static inline matrix matrix_of(float *data, size_t rows, size_t cols)
{
    return (matrix){data, rows, cols, cols};
}

static inline float *row(matrix a, size_t i)
{
    return a.data + i * a.stride;
}

/* The rows x cols elements of a that begin at (i0, j0). */
static inline matrix block(matrix a, size_t i0, size_t j0, size_t rows,
                           size_t cols)
{
    return (matrix){a.data + i0 * a.stride + j0, rows, cols, a.stride};
}

static inline size_t min_size(size_t a, size_t b)
{
    return a < b ? a : b;
}

static inline size_t max_size(size_t a, size_t b)
{
    return a > b ? a : b;
}

static inline long clamped(long x, long least, long most)
{
    return x < least ? least : x > most ? most : x;
}

/* ceil(n / size): how many tiles of that size cover n. */
static inline size_t tiles(size_t n, size_t size)
{
    return n / size + (n % size != 0);
}

/* Every element of a becomes x. */
void fill(matrix a, float x);

/* sum over c of a[c] * b[c], c = 0 .. n-1, in that order. */
float dot(const float *a, const float *b, size_t n);

/* y[c] += a * x[c], c = 0 .. n-1. */
void axpy(float *y, float a, const float *x, size_t n);

/* The same, and y[c] *= a, where a is a weight: of a weight of 0 nothing stays,
 * whatever it weighed. (0 times infinity would be NaN.) Only what nobody has
 * written yet is no past to be forgotten: it stays NaN. */
void add_share(float *y, float a, const float *x, size_t n);
void scale_row(float *y, float a, size_t n);

/* Has nobody written x since it came from memory.h? All its bits are 1 then: a
 * NaN that no arithmetic makes, and that goes through all arithmetic. */
bool is_unwritten(float x);

/* The largest of x[0 .. n-1]; -inf for n = 0. NaNs are passed over. */
float max_of(const float *x, size_t n);

/* --- Spans of rows ---------------------------------------------------------- */

/*
 * Consecutive rows: a tile of queries, or of keys.
 *
 *     for (span j = first(10, 4); j.n; j = next(j))    rows 0-3, 4-7, 8 and 9
 */
typedef struct {
    size_t first, n;  /* rows first .. first + n - 1 */
    size_t end, size; /* next takes `size` more, as far as `end` */
} span;

/* The first of the tiles of `size` rows that rows 0 to n - 1 are cut into, of
 * which the last may have fewer. first_from: that rows `at` to n - 1 are. */
static inline span first_from(size_t at, size_t n, size_t size)
{
    return (span){at, at < n ? min_size(size, n - at) : 0, n, size};
}

static inline span first(size_t n, size_t size)
{
    return first_from(0, n, size);
}

/* The one after it; of no rows behind the last. */
static inline span next(span s)
{
    return first_from(s.first + s.n, s.end, s.size);
}

/* Those n rows; all of n rows; and row i alone. */
static inline span span_of(size_t first, size_t n)
{
    return (span){first, n, first + n, n};
}

static inline span all(size_t n)
{
    return span_of(0, n);
}

static inline span one(size_t i)
{
    return span_of(i, 1);
}

#endif
