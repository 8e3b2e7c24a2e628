/*
 * Exercise 07: no bank conflicts.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=no_conflicts
 */
#ifndef NO_CONFLICTS_H
#define NO_CONFLICTS_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

/* A tile has SIDE x SIDE numbers, and a block has SIDE x ROWS threads. */
enum { SIDE = 32, ROWS = 8 };

/* Stores the transpose of A in B, on the device (launch.cu). A and B are n x n,
 * and n is a multiple of SIDE. The grid has a block for each tile. Returns a
 * cudaError_t. */
C_API int transpose_on_device(const float *A, float *B, size_t n);

/*
 * The given kernel: a block copies a tile of A to shared memory row by row, and
 * reads the tile column by column. So A and B are both accessed along their
 * rows. The result is right, but the kernel is slow: all numbers of a column of
 * the tile are in one bank.
 *
 * Your task: change the layout of the tile so that no two lanes of a warp
 * access different words of one bank at the same time. The emulator counts such
 * conflicts.
 */
void transposed(const float *A, float *B, int n);
#endif
