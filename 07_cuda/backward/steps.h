/*
 * The rungs of the way back as backward steps, so that the program and the
 * tests of chapters 05 and 06 can be handed them.
 */
#ifndef CUDA_BACKWARD_STEPS_H
#define CUDA_BACKWARD_STEPS_H

#include "common/gradients.h"

#include "07_cuda/backward/gradient_rung.h"

/* One for each rung, in their order; ends with {0}. The forward kernel is
 * chapter 06's: what rungs write as O and L is as good. */
extern const attention_step chapter_07_backward[];

/*
 * dQ, dK and dV of n heads of one shape by that rung. A head whose g.add is set
 * shares K and V with the head before it; all groups are alike. Books what was
 * moved in mem->counts, an element that is added as read and written. Returns
 * mem->error: REFUSED with a line that says what would fit.
 */
int gradients_by_rung(const gradient_rung *r, const gradients heads[], size_t n,
                      memory *mem);

/* The columns that d and dv are padded to; 0 if they are more than it has. */
size_t backward_columns(const gradient_rung *r, const head *h);

/* What one head moves, by formula (traffic.c). */
counts backward_atomics_traffic(const gradients *g, tile_sizes t);
counts backward_two_kernels_traffic(const gradients *g, tile_sizes t);
counts backward_tensor_cores_traffic(const gradients *g, tile_sizes t);
counts backward_wgmma_traffic(const gradients *g, tile_sizes t);
counts backward_reduce_traffic(const gradients *g, tile_sizes t);

#endif
