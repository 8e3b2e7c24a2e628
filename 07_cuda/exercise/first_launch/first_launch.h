/*
 * Exercise 07: a kernel and its launch: threads, blocks, a grid.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=first_launch
 */
#ifndef FIRST_LAUNCH_H
#define FIRST_LAUNCH_H

#include <stddef.h>

enum { FIRST_LAUNCH_THREADS = 128 }; /* of a block */

#ifdef __cplusplus
extern "C" {
#endif

/* y[i] = a x[i] for n numbers on the host: copies them to the device, calls
 * launch_scaled, and copies y back (launch.cu). Returns a cudaError_t. */
int scale_on_device(const float *x, float *y, size_t n, float a);

#ifdef __cplusplus
}

/*
 * Your task: y[i] = a x[i] for i = 0 .. n - 1. x and y are on the device, so a
 * kernel must do it: write one, and launch it in this function. Each number has
 * its own thread; a block has FIRST_LAUNCH_THREADS threads; the grid has no
 * more blocks than necessary. For n = 0 do not launch.
 */
void launch_scaled(const float *x, float *y, int n, float a);
#endif
#endif
