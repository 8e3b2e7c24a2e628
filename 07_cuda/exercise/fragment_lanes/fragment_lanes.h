/*
 * Exercise 07: which lane has which element of a tensor core's matrices.
 *
 * docs/07_cuda.md (rungs 5a to 7); the next hint: make hint-07 E=fragment_lanes
 */
#ifndef FRAGMENT_LANES_H
#define FRAGMENT_LANES_H

#include "07_cuda/exercise/c_api.h"

/*
 * mma.m16n8k16 multiplies A (16 x 16, fp16) by B (16 x 8, fp16) and adds to C
 * (16 x 8, float). Each of the 32 lanes has a part of each matrix in registers:
 *
 *   8 elements of A   e = 0, 1 in register a[0], 2, 3 in a[1], .. 6, 7 in a[3]
 *   4 elements of B   e = 0, 1 in register b[0], 2, 3 in b[1]
 *   4 elements of C   e = 0 .. 3 in registers c[0] .. c[3]
 *
 * This picture has the lanes of C: four lanes share two rows. A has the same
 * picture twice, for columns 0 to 7 and 8 to 15. B has two squares, rows 0 to 7
 * and 8 to 15. The lanes of each are rows 0 to 7 of the picture, transposed.
 *
 *     column   0   1   2   3   4   5   6   7
 *     row 0    0   0   1   1   2   2   3   3
 *     row 1    4   4   5   5   6   6   7   7
 *     ...
 *     row 7   28  28  29  29  30  30  31  31
 *     row 8    0   0   1   1   2   2   3   3
 *     ...
 *     row 15  28  28  29  29  30  30  31  31
 *
 *     registers     rows       columns
 *     a[0]          0 to 7     0 to 7
 *     a[1]          8 to 15    0 to 7
 *     a[2]          0 to 7     8 to 15
 *     a[3]          8 to 15    8 to 15
 *     b[0]          0 to 7     all
 *     b[1]          8 to 15    all
 *     c[0], c[1]    0 to 7     all
 *     c[2], c[3]    8 to 15    all
 *
 * Your task: write the four functions.
 */
typedef struct {
    int row, column;
} place;

/* Return the place of element e of the lane. */
place a_place(int lane, int e);
place b_place(int lane, int e);
place c_place(int lane, int e);

/*
 * After S = Q K^T a lane has 8 scores of 16 queries and 16 keys: s[0] to s[3]
 * are its C of keys 0 to 7, and s[4] to s[7] of keys 8 to 15. For P V the
 * weights are the operand A. Returns k such that s[k] is element e of A in the
 * same lane, so that no weight moves between lanes.
 */
int weight_of(int e);

/* Computes C = A B with one warp on the device (launch.cu), which uses the
 * given function; the instruction ldmatrix does the rest. Returns a
 * cudaError_t. */
enum { A_PLACE, B_PLACE, C_PLACE, WEIGHT_OF };
C_API int multiply(int function, const float *A, const float *B, float *C);
#endif
