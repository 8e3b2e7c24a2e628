/*
 * The rungs of the backward pass as backward steps, for the program and the
 * tests of chapters 05 and 06.
 */
#ifndef CUDA_BACKWARD_STEPS_H
#define CUDA_BACKWARD_STEPS_H

#include "common/gradients.h"

#include "07_cuda/backward/gradient_rung.h"

/* One step for each rung, in the order of backward_ladder; ends with {0}. The
 * forward kernel is flash2 of chapter 06, which gives the same O and L. */
extern const backward_step chapter_07_backward[];

/* Returns the columns to which the rung pads d and dv; 0 if it has too few. */
size_t backward_columns(const gradient_rung *r, const head *h);

/* HBM traffic of one head by the closed forms (traffic.c). */
counts backward_atomics_traffic(const gradients *g, tile_sizes t);
counts backward_two_kernels_traffic(const gradients *g, tile_sizes t);
counts backward_tensor_cores_traffic(const gradients *g, tile_sizes t);
counts backward_wgmma_traffic(const gradients *g, tile_sizes t);
counts backward_reduce_traffic(const gradients *g, tile_sizes t);

#endif
