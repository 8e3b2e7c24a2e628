/*
 * Exercise 07: load four floats at once, from any column on.
 *
 * docs/07_cuda.md (rung 3); the next hint: make hint-07 E=float4_rows
 */
#ifndef FLOAT4_ROWS_H
#define FLOAT4_ROWS_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

enum { ROWS = 64 }; /* rows, and threads of a block */

/* Computes sum[i] = X[i][first] + ... + X[i][first + n - 1] on the device
 * (launch.cu). X has ROWS rows of ld floats. Returns a cudaError_t. */
C_API int sums_on_device(const float *X, float *sum, size_t ld, size_t first,
                         size_t n);

/*
 * The given kernel: thread i adds the n floats of row i, one after the other.
 * The rows of the 32 lanes of a warp are far apart. So each load moves 32
 * sectors of 32 bytes, for 4 bytes per lane. A float4 has 16 bytes of a sector:
 *
 *     column   0   1   2   3 | 4   5   6   7 | 8   9  10  11 | 12 ...
 *     first = 2, n = 8   [ 2   3 | 4   5   6   7 | 8   9 ]
 *
 * Your task: load float4s where that is possible. A thread may load at most n /
 * 4 + 6 times.
 *
 *   X begins at a multiple of 16 bytes, and ld is a multiple of 4
 *   the address of a float4 must be a multiple of 16 bytes
 *   elements next to the slice may be NaN: do not add them, even times 0
 *   first and n have any values with first + n <= ld, also n = 0
 */
void slice_sums(const float *X, float *sum, int ld, int first, int n);
#endif
