/*
 * Exercise 07: bank conflicts, to zero.
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
 * The kernel: a block brings a tile of A into shared memory row by row, and
 * takes it out column by column, so that A and B are both walked along their
 * rows. It is right, and slow: a column of the tile lies in one bank. Change
 * how the tile lies there, so that no two lanes of a warp ask one bank for
 * different words. The emulator counts.
 */
void transposed(const float *A, float *B, int n);
#endif
#endif
