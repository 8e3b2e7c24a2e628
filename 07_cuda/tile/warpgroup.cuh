/*
 * Shared code of the Hopper rungs. A warpgroup, 128 threads, has 64 queries.
 *
 * The 64 x N result d of a wgmma is distributed over the warpgroup, 16 rows per
 * warp. With g = lane / 4 and t = lane % 4, a thread's d[4n] and d[4n + 1] are
 * columns 8n + 2t and 8n + 2t + 1 of row g. d[4n + 2] and d[4n + 3] are the
 * same columns of row g + 8. wgmma reads a bf16 operand A from registers in the
 * same layout, so P stays in registers.
 */
#pragma once
#include "07_cuda/tile/head.cuh"
#include "07_cuda/ptx/ptx_hopper.h"
#include "07_cuda/tile/shake.cuh"

/* ANCHOR: uniform */
/* Returns the number of this thread's warpgroup. The shuffle copies it from
 * lane 0 to all lanes of the warp, so for the compiler it is equal in all
 * lanes. The compiler then uses uniform registers, one per warp, for values
 * that depend on it, such as addresses of tiles. */
static inline __device__ int warpgroup()
{
    return __shfl_sync(~0u, (int)threadIdx.x / 128, 0);
}
/* ANCHOR_END: uniform */

/* m of this thread's two rows, as a logarithm to base 2, and the thread's part
 * of the rows' l. */
struct two_rows {
    float m[2], l[2];
};

static inline __device__ two_rows no_keys_yet()
{
    return {{-INFINITY, -INFINITY}, {0, 0}};
}

/* Returns this thread's first row. The second is 8 rows later. */
static __device__ int row_of_thread()
{
    return threadIdx.x % 128 / 32 * 16 + threadIdx.x % 32 / 4;
}

/* Return the row (0 or 1) and the column of element e of an accumulator. */
static __device__ int which_row(int e)
{
    return e / 2 % 2;
}
static __device__ int column_of(int e)
{
    return e / 4 * 8 + threadIdx.x % 4 * 2 + e % 2;
}

/* Returns the first address in smem that is aligned for TMA's swizzle. */
static inline __device__ char *tiles_in_shared(char *smem)
{
    return smem + (1024 - shared_address(smem) % 1024) % 1024;
}

/* Starts the copies of `rows` rows in boxes of 64 columns. Each box becomes a
 * panel of the tile: rows of 128 bytes. The panels are one after the other. */
template <int D>
static __device__ void load_panels(char *to, const CUtensorMap *map, int rows,
                                   int row0, int matrix, mbarrier *full)
{
    spoil(to, rows * D * 2);
    for (int c = 0; c < D; c += 64)
        tma_load(to + c / 64 * rows * 128, map, full, c, row0, matrix);
}

/* Starts s = Q K^T for 64 rows at q in a tile of Br rows, and Bc rows at k. */
template <int D, int Br, int Bc>
static __device__ void start_scores(float (&s)[Bc / 2], const char *q,
                                    const char *k)
{
    unsigned long long Q = wgmma_operand(q), K = wgmma_operand(k);

    wgmma_fence();
#pragma unroll
    for (int c = 0; c < D; c += 16) /* 16 columns are 32 bytes */
        wgmma(s, bytes_on(Q, c / 64 * Br * 128 + c % 64 * 2),
              bytes_on(K, c / 64 * Bc * 128 + c % 64 * 2), c > 0);
    wgmma_commit();
}

template <int D, int Bc>
static __device__ void
start_output(float (&o)[D / 2], const unsigned (&P)[Bc / 16][4], const char *v)
{
    unsigned long long V = wgmma_operand(v, Bc * 128);

    wgmma_fence();
#pragma unroll
    for (int j = 0; j < Bc; j += 16)
        wgmma_transposed(o, P[j / 16], bytes_on(V, j * 128), true);
    wgmma_commit();
}

static const float LOG2E = 1.4426950409f, LN2 = 0.6931471806f;

/* Sets masked scores to -inf: in this thread's first row the scores from column
 * seen[0] on, in its second row those from column seen[1] on. Also multiplies
 * all scores by the sign of the scale (-1, 0 or 1), because softmax multiplies
 * by |scale|. */
template <int Bc>
static __device__ void mask(float (&s)[Bc / 2], float scale,
                            const int (&seen)[2])
{
    const int own = column_of(0), left[2] = {seen[0] - own, seen[1] - own};

    if (!(scale > 0))
#pragma unroll
        for (int e = 0; e < Bc / 2; e++)
            s[e] *= scale < 0 ? -1 : 0;
    if (min(seen[0], seen[1]) < Bc)
#pragma unroll
        for (int e = 0; e < Bc / 2; e++)
            s[e] = e / 4 * 8 + e % 2 < left[which_row(e)] ? s[e] : -INFINITY;
}

template <int Bc>
static __device__ void mask(float (&s)[Bc / 2], const rung_problem &p,
                            float scale, int i, int j0)
{
    mask<Bc>(s, scale, {keys_seen(p, i) - j0, keys_seen(p, i + 8) - j0});
}

/* Replaces the scores s by the weights 2^{c s - m + up}, with c = |scale| log2
 * e, and adds the tile to m and l. Stores in alpha the factor for the sums of
 * earlier tiles. Each exponent takes one fused multiply-add. l also has the
 * factor 2^up. */
template <int n>
static __device__ void softmax(float (&s)[n], two_rows &r, float (&alpha)[2],
                               float scale, float up = 0)
{
    float c = fmaxf(fabsf(scale) * LOG2E, 1e-45f); /* -inf times 0 is NaN */
    float largest[2] = {-INFINITY, -INFINITY}, base[2];

#pragma unroll
    for (int e = 0; e < n; e++)
        largest[which_row(e)] = fmaxf(largest[which_row(e)], s[e]);
#pragma unroll
    for (int h = 0; h < 2; h++) {
        float m_new = fmaxf(r.m[h], max_of_lanes<4>(largest[h]) * c);

        base[h] = m_new == -INFINITY ? 0 : m_new;
        alpha[h] = exp2_approx(r.m[h] - base[h]);
        r.m[h] = m_new;
        r.l[h] *= alpha[h];
        base[h] -= up;
    }
#pragma unroll
    for (int e = 0; e < n; e++) {
        s[e] = exp2_approx(fmaf(s[e], c, -base[which_row(e)]));
        r.l[which_row(e)] += s[e];
    }
}

template <int n>
static __device__ void rescale(float (&o)[n], const float (&alpha)[2])
{
#pragma unroll
    for (int e = 0; e < n; e++)
        o[e] *= alpha[which_row(e)];
}

/* Packs bf16 weights as operand A of wgmma: 16 keys in four registers. */
template <int n>
static __device__ void pack(unsigned (&P)[n / 8][4], const float (&s)[n])
{
#pragma unroll
    for (int e = 0; e < n; e += 2)
        P[e / 8][e / 2 % 4] = pack_bf16x2(s[e], s[e + 1]);
}

/* Stores O and L of queries i and i + 8 of the head. */
template <int D>
static __device__ void finish_rows(const rung_problem &p, int head, int i,
                                   float (&o)[D / 2], const two_rows &r)
{
    one_head<unsigned> h = head_of<unsigned>(p, head); /* two bf16 each */

#pragma unroll
    for (int k = 0; k < 2; k++) {
        float l = sum_of_lanes<4>(r.l[k]), part = inverse(l);
        int row = i + 8 * k;
        unsigned *O = h.O + ((size_t)row * D + column_of(0)) / 2;

        if (row >= p.Nq)
            continue;
#pragma unroll
        for (int n = 0; n < D / 8; n++) /* columns 8n + 2t, 8n + 2t + 1 */
            O[4 * n] = pack_bf16x2(o[4 * n + 2 * k] * part,
                                   o[4 * n + 2 * k + 1] * part);
        if (threadIdx.x % 4 == 0)
            h.L[row] = r.m[k] * LN2 + logf(l);
    }
}

struct tensor_maps {
    CUtensorMap Q, K, V;
};

/* Returns cudaErrorInvalidValue if the type is not bf16. */
static inline int tensor_maps_of(const rung_problem *p, int Br, int Bc,
                                 tensor_maps *maps)
{
    /* seen: keys that the last query sees. No query sees more. A map needs a
     * row, so without keys the maps of K and V describe a row of Q. */
    int seen = p->Nk < p->Nq + p->offset ? p->Nk : p->Nq + p->offset;
    bool any = seen > 0;
    int rows = any ? p->Nk : p->Nq, heads = any ? p->heads / p->group : 1;
    int error = p->type == BF16 ? 0 : cudaErrorInvalidValue;

    if (!error)
        error =
            tensor_map_bf16(&maps->Q, p->Q, p->D, p->Nq, p->Nq, p->heads, Br);
    if (!error)
        error = tensor_map_bf16(&maps->K, any ? p->K : p->Q, p->D, rows,
                                any ? seen : 1, heads, Bc);
    if (!error)
        error = tensor_map_bf16(&maps->V, any ? p->V : p->Q, p->D, rows,
                                any ? seen : 1, heads, Bc);
    return error;
}
