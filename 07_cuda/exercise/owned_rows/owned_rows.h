/*
 * Exercise 07: one matrix, two sums. Who may add where?
 *
 * The backward pass needs the sum of each row of dS, and of each column (times
 * K and Q; here they are plain sums). A block that has its own columns has no
 * row for itself. docs/07_backward.md; the next hint: make hint-07 E=owned_rows
 */
#ifndef OWNED_ROWS_H
#define OWNED_ROWS_H

#include <stddef.h>

enum { THREADS = 64 }; /* of a block: 2 warps */

#ifdef __cplusplus
extern "C" {
#endif

/* Of n rows of m numbers each: sums[0 .. n - 1] of the rows, and then
 * sums[n .. n + m - 1] of the columns, by add_all (launch.cu). Returns a
 * cudaError_t. */
int sums_by_columns(const float *x, float *sums, size_t n, size_t m);

/* sums[0 .. n - 1] of the rows alone, by add_owned. */
int sums_by_rows(const float *x, float *sums, size_t n, size_t m);

#ifdef __cplusplus
}

/*
 * Yours: thread t of block b has column THREADS b + t, if there is one, and
 * walks down the rows. column[j] is written once. To row[i], which is 0 at the
 * beginning, each block adds what its columns have in that row: one atomicAdd
 * for each block and row.
 */
void add_all(const float *x, float *row, float *column, int n, int m);

/* Yours, too: thread t of block b has row THREADS b + t, and nobody else has.
 * No atomic. row is not 0 at the beginning. */
void add_owned(const float *x, float *row, int n, int m);
#endif
#endif
