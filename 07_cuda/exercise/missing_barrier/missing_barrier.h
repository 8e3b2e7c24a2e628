/*
 * Exercise 07: a race, although every result is right.
 *
 * docs/cuda_in_one_page.md; the next hint: make hint-07 E=missing_barrier
 */
#ifndef MISSING_BARRIER_H
#define MISSING_BARRIER_H

#include <stddef.h>

enum { QUERIES = 64 }; /* also the threads of the block */

#ifdef __cplusplus
extern "C" {
#endif

/* best[i] = max over j of q[i] k[j], for QUERIES queries and n keys, by one
 * block on the device (launch.cu). Returns a cudaError_t. */
int best_scores(const float *q, const float *k, float *best, size_t n);

#ifdef __cplusplus
}

/*
 * The kernel: thread i has query i. A tile of QUERIES keys is copied to shared
 * memory at a time: each thread copies one key, then all threads read all of
 * them. One barrier is missing. Add it; two for each tile are enough.
 */
void best_score(const float *q, const float *k, float *best, int n);
#endif
#endif
