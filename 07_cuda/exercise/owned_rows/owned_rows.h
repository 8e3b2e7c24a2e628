/*
 * Exercise 07: sums of rows and columns, with atomics and without.
 *
 * The backward pass needs sums over the rows of dS (times K) and over its
 * columns (times Q). In this exercise the sums are plain. A block that has some
 * columns has only a part of each row.
 *
 * docs/07_backward.md; the next hint: make hint-07 E=owned_rows
 */
#ifndef OWNED_ROWS_H
#define OWNED_ROWS_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

enum { THREADS = 64 }; /* threads of a block: 2 warps */

/* Launches add_all for a matrix x of n rows and m columns (launch.cu). Stores
 * the n sums of the rows in sums, and after them the m sums of the columns.
 * Returns a cudaError_t. */
C_API int sums_by_columns(const float *x, float *sums, size_t n, size_t m);

/* Launches add_owned. Stores the n sums of the rows in sums. Returns a
 * cudaError_t. */
C_API int sums_by_rows(const float *x, float *sums, size_t n, size_t m);

/*
 * Your first task: thread t of block b has column j = THREADS b + t, if there
 * is one. The given code reads the column from row 0 on and stores its sum in
 * column[j]. Each block must also add the sum of its part of row i to row[i],
 * by one atomicAdd for each block and row. row[i] is 0 at the beginning.
 */
void add_all(const float *x, float *row, float *column, int n, int m);

/* Your second task: thread t of block b stores the sum of row i = THREADS b + t
 * in row[i], if i < n, without atomics. row is not 0 at the beginning. */
void add_owned(const float *x, float *row, int n, int m);
#endif
