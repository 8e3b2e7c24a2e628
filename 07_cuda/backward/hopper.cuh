/*
 * Shared code of the backward rungs for Hopper. tile/warpgroup.cuh describes
 * the layout of the registers.
 */
#pragma once
#include "07_cuda/backward/rows.cuh"
#include "07_cuda/tile/warpgroup.cuh"

#include <limits.h>

struct gradient_maps : tensor_maps {
    CUtensorMap dO, dQ_sum; /* rung 4b adds to dQ_sum by TMA */
};

static inline int maps_of(const gradient_problem *p, int queries, int keys,
                          gradient_maps *maps)
{
    const rung_problem &f = p->forward;
    int error = tensor_maps_of(&f, queries, keys, maps);

    if (!error)
        error = tensor_map_bf16(&maps->dO, p->dO, f.D, f.Nq, f.Nq, f.heads,
                                queries);
    return error ? error
                 : tensor_map_f32(&maps->dQ_sum, p->dQ_sum, f.D, f.Nq, f.heads,
                                  queries);
}

/* Starts the loads of `rows` rows, from row0 on, of head `matrix` of two maps.
 * The tile of `two` is at the addresses after the tile of `one`. `full` counts
 * the bytes of both. */
template <int D>
static __device__ void load_two(char *to, const CUtensorMap *one,
                                const CUtensorMap *two, int rows, int row0,
                                int matrix, mbarrier *full)
{
    mbarrier_arrive_and_expect(full, 2 * rows * D * 2);
    load_panels<D>(to, one, rows, row0, matrix, full);
    load_panels<D>(to + rows * D * 2, two, rows, row0, matrix, full);
}

/* The tiles of Br queries that see at least one key of a block, whose first key
 * is j0. Tile t, 0 <= t < n, begins at query i0(t) of head(t). */
template <int Br> struct query_tiles {
    int first, of_head, n, head0;

    __device__ query_tiles(const rung_problem &f, int j0)
    {
        first = first_tile(f, j0, Br);
        of_head = (f.Nq - first + Br - 1) / Br;
        n = of_head * f.group;
        head0 = blockIdx.y * f.group;
    }
    __device__ int head(int t) const
    {
        return head0 + t / of_head;
    }
    __device__ int i0(int t) const
    {
        return first + t % of_head * Br;
    }
};

/* L, as a logarithm to base 2, and D of a query. */
struct query_numbers {
    float L, D;
};

/* Returns L and D of query i. For a query out of range or without visible keys,
 * L is inf, so that every weight is 2^-inf = 0. */
static __device__ query_numbers numbers_of(const gradient_problem &p, int head,
                                           int i)
{
    size_t row = (size_t)head * p.forward.Nq + i;

    if (i >= p.forward.Nq)
        return {INFINITY, 0};
    float L = p.forward.L[row];

    return {L == -INFINITY ? INFINITY : L * LOG2E, p.D[row]};
}

/* Returns the weight e^{scale s - L} of a score s that is not scaled. */
static __device__ float weight(float scale, float s, query_numbers n)
{
    return exp2_approx(fmaf(s, scale * LOG2E, -n.L));
}

static __device__ int first_query(const rung_problem &f, int j)
{
    return j < f.Nk ? j - f.offset : INT_MAX;
}

/* Calls f(0) to f(n - 1). The loop is unrolled, so arrays that f indexes can be
 * in registers. */
template <int n, class F> static __device__ void for_each(F f)
{
#pragma unroll
    for (int e = 0; e < n; e++)
        f(e);
}

/* Starts dq = dS K for 64 queries and 64 columns, as a sum over `keys` keys. dS
 * is transposed and in shared memory. */
template <int keys>
static __device__ void start_dQ(float (&dq)[32], const char *dS, const char *k)
{
    unsigned long long A = wgmma_operand(dS), K = wgmma_operand(k);

    wgmma_fence();
#pragma unroll
    for (int j = 0; j < keys; j += 16)
        wgmma_transposed(dq, bytes_on(A, j * 128), bytes_on(K, j * 128), j > 0);
    wgmma_commit();
}

/* Stores rows j and j + 8 of a head's gradient of n rows, times scale. */
template <int D>
static __device__ void store_gradient(void *to, int head, int j, int n,
                                      float scale, const float (&x)[D / 2])
{
#pragma unroll
    for (int r = 0; r < 2; r++) {
        size_t row = (size_t)head * n + j + 8 * r;
        unsigned *at = (unsigned *)to + (row * D + column_of(0)) / 2;

        if (j + 8 * r >= n)
            continue;
#pragma unroll
        for (int c = 0; c < D / 8; c++) /* 2 columns from 8c + column_of(0) */
            at[4 * c] = pack_bf16x2(scale * x[4 * c + 2 * r],
                                    scale * x[4 * c + 2 * r + 1]);
    }
}
