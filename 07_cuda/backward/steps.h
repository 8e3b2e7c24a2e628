/*
 * The rungs of the backward pass as backward steps, so that the program and the
 * tests of chapters 05 and 06 take them.
 */
#ifndef CUDA_BACKWARD_STEPS_H
#define CUDA_BACKWARD_STEPS_H

#include "common/step.h"

#include "07_cuda/backward/gradient_rung.h"

/* One for each rung, in their order; ends with {0}. The forward kernel is
 * chapter 06's: what rungs write as O and L is as good. */
extern const attention_step chapter_07_backward[];

/* The columns that d and dv are padded to; 0 if they are more than it has. */
size_t backward_columns(const gradient_rung *r, const head *h);

/* What one head moves, by formula (traffic.c). */
counts backward_atomics_traffic(const gradients *g, tile_sizes t);
counts backward_two_kernels_traffic(const gradients *g, tile_sizes t);
counts backward_tensor_cores_traffic(const gradients *g, tile_sizes t);
counts backward_wgmma_traffic(const gradients *g, tile_sizes t);
counts backward_reduce_traffic(const gradients *g, tile_sizes t);

#endif
