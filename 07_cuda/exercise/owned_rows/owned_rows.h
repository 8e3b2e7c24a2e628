/*
 * Exercise 07: sums of rows and columns, with atomics and without.
 *
 * The backward pass needs the sum of each row of dS, and of each column (times
 * K and Q; here they are plain sums). A block that owns columns has only parts
 * of the rows. docs/07_backward.md; the next hint: make hint-07 E=owned_rows
 */
#ifndef OWNED_ROWS_H
#define OWNED_ROWS_H

#include <stddef.h>

enum { THREADS = 64 }; /* of a block: 2 warps */

#ifdef __cplusplus
extern "C" {
#endif

/* Adds n rows of m numbers by add_all (launch.cu): sums[0 .. n - 1] of the
 * rows, sums[n .. n + m - 1] of the columns. Returns a cudaError_t. */
int sums_by_columns(const float *x, float *sums, size_t n, size_t m);

/* Computes only sums[0 .. n - 1], by add_owned. Returns a cudaError_t. */
int sums_by_rows(const float *x, float *sums, size_t n, size_t m);

#ifdef __cplusplus
}

/*
 * Your task: thread t of block b has column THREADS b + t, if there is one, and
 * reads it row by row. It writes column[j] once. row[i] is 0 at the beginning.
 * Each block adds the sum of its columns in that row to row[i], by one
 * atomicAdd for each block and row.
 */
void add_all(const float *x, float *row, float *column, int n, int m);

/* Your task, too: thread t of block b owns row THREADS b + t, without atomics.
 * row is not 0 at the beginning. */
void add_owned(const float *x, float *row, int n, int m);
#endif
#endif
