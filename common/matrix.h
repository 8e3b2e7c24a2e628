/* Row-major float matrices, views that share their data, and spans of rows. */
#ifndef COMMON_MATRIX_H
#define COMMON_MATRIX_H

#include <stdbool.h>
#include <stddef.h>

typedef struct {
    float *data;
    size_t rows, cols;
    size_t stride; /* elements from one row to the next, >= cols */
} matrix;

/* Returns a matrix view of rows x cols contiguous floats. */
static inline matrix matrix_of(float *data, size_t rows, size_t cols)
{
    return (matrix){data, rows, cols, cols};
}

static inline float *row(matrix a, size_t i)
{
    return a.data + i * a.stride;
}

/* Returns a view of the rows x cols elements of a that begin at (i0, j0). */
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

static inline long clamped(long x, long low, long high)
{
    return x < low ? low : x > high ? high : x;
}

/* Returns ceil(n / size), the number of tiles of that size that cover n. */
static inline size_t tiles(size_t n, size_t size)
{
    return n / size + (n % size != 0);
}

/* Sets every element of a to x. */
void fill(matrix a, float x);

/* Returns the sum of a[c] * b[c] over c = 0 .. n-1, in that order. */
float dot(const float *a, const float *b, size_t n);

/* y[c] += a * x[c] for c = 0 .. n-1. */
void axpy(float *y, float a, const float *x, size_t n);

/* y[c] += a * x[c]. If a is 0, y stays unchanged, even if x is inf or NaN. */
void add_share(float *y, float a, const float *x, size_t n);

/* y[c] *= a. If a is 0, inf and NaN also become 0; only uninitialised elements
 * (poison) stay NaN. */
void scale_row(float *y, float a, size_t n);

/* True if x still has the poison value from memory.h: all bits 1. Arithmetic
 * creates other NaNs, and usually propagates this one. */
bool is_unwritten(float x);

/* Returns the largest of x[0 .. n-1], or -inf if n is 0. Skips NaNs. */
float max_of(const float *x, size_t n);

/*
 * Consecutive rows, for example a tile of queries or a tile of keys. A loop
 * over the tiles of 10 rows:
 *
 *     for (span j = first(10, 4); j.n; j = next(j))    rows 0-3, 4-7, 8 and 9
 */
typedef struct {
    size_t first, n;  /* rows first .. first + n - 1 */
    size_t end, size; /* next takes up to `size` rows before `end` */
} span;

/* Return the first tile of up to `size` rows, of rows at .. n - 1 (first_from)
 * or of rows 0 .. n - 1 (first). */
static inline span first_from(size_t at, size_t n, size_t size)
{
    return (span){at, at < n ? min_size(size, n - at) : 0, n, size};
}

static inline span first(size_t n, size_t size)
{
    return first_from(0, n, size);
}

/* Returns the tile after s, with n = 0 after the last tile. */
static inline span next(span s)
{
    return first_from(s.first + s.n, s.end, s.size);
}

/* Return the span of rows first .. first + n - 1 (span_of), of rows 0 .. n - 1
 * (all), and of row i (one). */
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
