/* Starts the e4m3 products of rung 11, and packs P for them. docs/hopper.md */
#pragma once
#include "07_cuda/ptx/ptx_hopper.h"

/* Starts s = Q K^T for 64 queries and Bc keys. Rows of q and k have D bytes. */
template <int D, int Bc>
static __device__ void start_scores(float (&s)[Bc / 2], const char *q,
                                    const char *k)
{
    unsigned long long Q = wgmma_operand_e4m3(q, D);
    unsigned long long K = wgmma_operand_e4m3(k, D);

    wgmma_fence();
#pragma unroll
    for (int c = 0; c < D; c += 32)
        wgmma_e4m3(s, bytes_on(Q, c), bytes_on(K, c), c > 0);
    wgmma_commit();
}

/* Starts o += P V for 64 queries and Bc keys. v has D rows of Bc bytes. */
template <int D, int Bc>
static __device__ void
start_output(float (&o)[D / 2], const unsigned (&P)[Bc / 32][4], const char *v)
{
    unsigned long long V = wgmma_operand_e4m3(v, Bc);

    wgmma_fence();
#pragma unroll
    for (int j = 0; j < Bc; j += 32)
        wgmma_e4m3(o, P[j / 32], bytes_on(V, j), true);
    wgmma_commit();
}

/* ANCHOR: pack */
/* Packs the weights as operand A of wgmma, 32 keys in four registers. In each
 * row, a register has two weights of each of two tiles of 8 keys. V's keys have
 * the same order (key_at in quantise.cuh). */
template <int n>
static __device__ void pack_e4m3(unsigned (&P)[n / 16][4], const float (&s)[n])
{
#pragma unroll
    for (int e = 0; e < n; e += 8) {
        unsigned *two = &P[e / 16][e / 8 % 2 * 2];

        two[0] = pack_e4m3x4(s[e], s[e + 1], s[e + 4], s[e + 5]);
        two[1] = pack_e4m3x4(s[e + 2], s[e + 3], s[e + 6], s[e + 7]);
    }
}
/* ANCHOR_END: pack */
