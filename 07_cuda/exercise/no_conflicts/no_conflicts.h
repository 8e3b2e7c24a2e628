/*
 * Exercise 07: no bank conflicts.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=no_conflicts
 */
#ifndef NO_CONFLICTS_H
#define NO_CONFLICTS_H

#include <stddef.h>

enum { SIDE = 32, ROWS = 8 }; /* a tile; a block has SIDE x ROWS threads */

#ifdef __cplusplus
extern "C" {
#endif

/* B = A transposed, n x n, n a multiple of SIDE, with a block for each tile
 * (launch.cu). Returns a cudaError_t. */
int transpose_on_device(const float *A, float *B, size_t n);

#ifdef __cplusplus
}

/*
 * The kernel: a block copies a tile of A to shared memory row by row, and reads
 * it column by column, so that A and B are both accessed along their rows. It
 * is right, but slow: a column of the tile is in one bank. Change the layout of
 * the tile so that no two lanes of a warp access different words of one bank at
 * the same time. The emulator counts such conflicts.
 */
void transposed(const float *A, float *B, int n);
#endif
#endif
