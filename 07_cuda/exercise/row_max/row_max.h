/*
 * Exercise 07: the largest score of each row, by a block of threads.
 *
 * Every rung needs the row max. This is the first exercise in which lanes
 * exchange data by shuffles.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=row_max
 */
#ifndef EXERCISE_ROW_MAX_H
#define EXERCISE_ROW_MAX_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

enum { ROW_MAX_THREADS = 128 }; /* 4 warps */

/* Computes largest[i] = max over j of scores[i][j], for j = 0 .. n - 1, or -inf
 * for n = 0. Launches row_max with a block for each row (launch.cu). Returns a
 * cudaError_t. */
C_API int row_maxima(const float *scores, float *largest, size_t rows,
                     size_t n);

/*
 * Your task: block i finds the largest of n scores, from scores[i * n] on, and
 * one of its threads stores it in largest[i]. Each thread reads every
 * ROW_MAX_THREADS-th score. Then the lanes of a warp find their maximum by
 * __shfl_xor_sync. Then the four warps find the maximum of the block by shared
 * memory. No score is NaN.
 */
void row_max(const float *scores, float *largest, int n);
#endif
