/*
 * Exercise 07: copy the next tile while this one is in use.
 *
 * docs/07_cuda.md (rung 6b); the next hint: make hint-07 E=two_buffers
 */
#ifndef TWO_BUFFERS_H
#define TWO_BUFFERS_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

/* A query or key has D numbers, 16 bytes. A block has QUERIES threads. */
enum { QUERIES = 64, KEYS = 64, D = 4 };

/* Computes best[i] = max over j of q_i . k_j for QUERIES queries and n keys,
 * with one block on the device (launch.cu). Returns a cudaError_t. */
C_API int best_of_keys(const float *q, const float *K, float *best, size_t n);

/*
 * The given kernel: thread i has query i. The block copies tiles of KEYS keys
 * to shared memory by three functions of 07_cuda/ptx/ptx.h:
 *
 *   cp_async_16(to, from)   starts to copy 16 bytes from global to shared memory
 *   cp_async_commit()       ends a group: the thread's copies since the last one
 *   cp_async_wait<N>()      waits until all groups but the N newest have arrived
 *
 * The kernel waits for each tile immediately, so no copy runs during products:
 *
 *     one buffer    copies    [tile 0]        [tile 1]        [tile 2]
 *                   products          [tile 0]        [tile 1]        [tile 2]
 *
 *     two buffers   copies    [tile 0][tile 1][tile 2]
 *                   products          [tile 0][tile 1][tile 2]
 *
 * Your task: use two buffers. Each tile but the first must be copied during the
 * products of the tile before. Shared memory has room for two tiles, not for
 * all keys. A thread waits only for its own copies, so barriers are needed, too.
 */
void best_key(const float *q, const float *K, float *best, int n);
#endif
