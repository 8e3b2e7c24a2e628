/* The backward rungs as backward steps (common/gradients.h). */
#ifndef CUDA_BACKWARD_STEPS_H
#define CUDA_BACKWARD_STEPS_H

#include "common/gradients.h"

#include "07_cuda/backward/gradient_rung.h"

/* One step for each rung, in the order of backward_ladder. The last element is
 * {0}. Their forward step is flash2 of chapter 06. */
extern const backward_step chapter_07_backward[];

/* Returns the bytes on the host of the backward problem of a head: dO, dQ, dK,
 * dV, and the arrays of the rung `only`, or of the rung that needs most. */
double gradient_bytes(const head *h, const char *only);

/* Returns the number of columns to which d and dv are padded, or 0 if the rung
 * is not compiled for them. */
size_t backward_columns(const gradient_rung *r, const head *h);

/* Return the HBM traffic of one head by the closed forms (traffic.c), in
 * elements. The tile sizes t are not used. */
counts backward_atomics_traffic(const gradients *g, tile_sizes t);
counts backward_two_kernels_traffic(const gradients *g, tile_sizes t);
counts backward_tensor_cores_traffic(const gradients *g, tile_sizes t);
counts backward_wgmma_traffic(const gradients *g, tile_sizes t);
counts backward_reduce_traffic(const gradients *g, tile_sizes t);

#endif
