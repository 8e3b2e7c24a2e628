/*
 * Exercise 07: move each sector of HBM only once.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=coalesced_loads
 */
#ifndef COALESCED_LOADS_H
#define COALESCED_LOADS_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

/* K has D columns. A block has KEYS keys and KEYS threads. */
enum { D = 32, KEYS = 128 };

/* Computes s[j] = q . k_j on the device for one query and n keys (launch.cu).
 * The query and each key have D numbers. n is a multiple of KEYS. Returns a
 * cudaError_t. */
C_API int scores_on_device(const float *q, const float *K, float *s, size_t n);

/*
 * The given kernel: block b has KEYS keys, from key KEYS b on, and one thread
 * for each key. Its results are right, but it is slow. When the 32 lanes of a
 * warp load column 0 of their keys, the 32 numbers are 128 bytes apart. Memory
 * is read in sectors of 32 bytes, so 7/8 of the loaded bytes are not used.
 *
 * Your task: change the kernel so that the lanes of a warp load neighbouring
 * numbers. Each sector of K and of s must be moved only once. Each warp may
 * load each sector of q once.
 */
void row_of_scores(const float *q, const float *K, float *s);
#endif
