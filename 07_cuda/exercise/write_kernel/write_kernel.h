/*
 * Exercise 07: FlashAttention-2 as a kernel, from an empty body.
 *
 * docs/cuda_in_one_page.md, and rung 2 of docs/07_cuda.md; the next hint: make
 * hint-07 E=write_kernel
 */
#ifndef WRITE_KERNEL_H
#define WRITE_KERNEL_H

#include <stddef.h>

#include "07_cuda/exercise/c_api.h"

/* Q, K, V and O have D columns. A tile has KEYS keys. A block has QUERIES
 * queries and QUERIES threads. */
enum { D = 16, KEYS = 32, QUERIES = 64 };

/* Computes O = softmax(Q K^T / 4) V on the device for n queries and n keys
 * (launch.cu). Q_K_V has Q, K and V one after another. Q, K, V and O are n x D.
 * Returns a cudaError_t. */
C_API int attention_on_device(const float *Q_K_V, float *O, size_t n);

/*
 * Your task: thread t of block b has query QUERIES b + t, if there is one. It
 * keeps its row of Q, its output o, the maximum m of its scores s, and l, the
 * sum of e^{s - m}, in its own variables. Each block copies every tile of KEYS
 * keys and values to shared memory once, and all threads use the
 * copy. Two barriers for each tile are enough. n may be any number above 0.
 */
void attention(const float *Q, const float *K, const float *V, float *O, int n);
#endif
