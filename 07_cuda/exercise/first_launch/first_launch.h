/*
 * Exercise 07: a kernel, and its launch with threads, blocks and a grid.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=first_launch
 */
#ifndef FIRST_LAUNCH_H
#define FIRST_LAUNCH_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

enum { FIRST_LAUNCH_THREADS = 128 }; /* threads of a block */

/* Computes y[i] = a x[i] for n numbers in host memory: copies x to the device,
 * calls launch_scaled, and copies y back (launch.cu). Returns a cudaError_t. */
C_API int scale_on_device(const float *x, float *y, size_t n, float a);

/*
 * Your task: compute y[i] = a x[i] for i = 0 .. n - 1. x and y are on the
 * device, so only a kernel can compute it. Write a kernel, and launch it in
 * this function. Each number has its own thread. A block has
 * FIRST_LAUNCH_THREADS threads. The grid has no more blocks than necessary. For
 * n = 0 do not launch.
 */
void launch_scaled(const float *x, float *y, int n, float a);
#endif
