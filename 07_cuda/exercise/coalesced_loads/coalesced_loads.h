/*
 * Exercise 07: each sector of HBM once.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=coalesced_loads
 */
#ifndef COALESCED_LOADS_H
#define COALESCED_LOADS_H

#include <stddef.h>

enum { D = 32, KEYS = 128 }; /* columns of K; keys and threads of a block */

#ifdef __cplusplus
extern "C" {
#endif

/* s[j] = q . k_j for one query and n keys of D numbers each, n a multiple of
 * KEYS (launch.cu). Returns a cudaError_t. */
int scores_on_device(const float *q, const float *K, float *s, size_t n);

#ifdef __cplusplus
}

/*
 * The kernel: block b has the keys from KEYS b on, with a thread for each. Its
 * results are right, but it is slow. When the 32 lanes of a warp load column 0
 * of their keys, the 32 numbers are 128 bytes apart. Memory is read in sectors
 * of 32 bytes, so 7/8 of the loaded bytes are not used. Change it so that the
 * lanes of a warp load neighbours: each sector of K and of s must be moved only
 * once. Every warp may load all of q.
 */
void row_of_scores(const float *q, const float *K, float *s);
#endif
#endif
