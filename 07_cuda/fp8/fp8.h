/*
 * The layout of p->scratch in rung 11. It has Q, K and V as e4m3 codes of one
 * byte, and a scale, a power of two, for each block of 64 queries or 128 keys.
 * An element is the value of its code times the scale of its block.
 *
 *     Q     heads x Nq x D
 *     K     heads / group x keys x D; keys is 128 k_blocks
 *     V     heads / group x D x keys, transposed; of each 16 keys, place k has
 *           key key_at(k) (tile/quantise.cuh)
 *
 * docs/hopper.md
 */
#ifndef CUDA_FP8_H
#define CUDA_FP8_H

#include <stddef.h>
#include <stdint.h>

#include "07_cuda/rung.h"

enum { FP8_QUERIES = 64, FP8_KEYS = 128 }; /* rows of a block */

typedef struct {
    uint8_t *Q, *K, *V;
    float *q, *k, *v;       /* scales: heads x q_blocks, KV heads x k_blocks */
    int q_blocks, k_blocks; /* blocks of a head, at least 1 */
    int keys;
    size_t bytes; /* size of p->scratch */
} fp8_arrays;

static inline fp8_arrays fp8_in(const rung_problem *p)
{
    size_t heads = (size_t)p->heads, kv_heads = heads / (size_t)p->group;
    size_t D = (size_t)p->D, Q = heads * (size_t)p->Nq * D, K;
    uintptr_t at = (uintptr_t)p->scratch;
    fp8_arrays a;

    a.q_blocks = (p->Nq + FP8_QUERIES - 1) / FP8_QUERIES;
    a.k_blocks = p->Nk ? (p->Nk + FP8_KEYS - 1) / FP8_KEYS : 1;
    a.keys = a.k_blocks * FP8_KEYS;
    K = kv_heads * (size_t)a.keys * D;
    a.Q = (uint8_t *)at;
    a.K = (uint8_t *)(at += Q);
    a.V = (uint8_t *)(at += K);
    a.q = (float *)(at += K);
    a.k = (float *)(at += heads * (size_t)a.q_blocks * sizeof(float));
    a.v = (float *)(at += kv_heads * (size_t)a.k_blocks * sizeof(float));
    at += kv_heads * (size_t)a.k_blocks * sizeof(float);
    a.bytes = at - (uintptr_t)p->scratch;
    return a;
}

/* Returns the number of keys that the last query sees. No query sees more. */
static inline int fp8_seen(const rung_problem *p)
{
    int seen = p->Nq + p->offset < p->Nk ? p->Nq + p->offset : p->Nk;

    return seen > 0 ? seen : 0;
}

#endif
