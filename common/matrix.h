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

#endif
