/*
 * Rung 12: decoding. The keys are split into parts.
 *
 * With one query per sequence there are too few tiles of queries for all
 * multiprocessors. Changed since rung 8: first, all queries of a group of heads
 * form one matrix, because these heads share K and V and are contiguous in HBM.
 * Second, the keys are split into parts. A block computes O, m and l of one
 * part and stores them in HBM. A second kernel merges the parts as in chapter
 * 06 (split_kv.c):
 *
 *     m = max m_k     l = sum l_k 2^{m_k - m}     O = sum O_k 2^{m_k - m} / l
 *
 * Most of a tile's 64 rows are empty. Empty rows cost no time, because a key is
 * used for only a few queries and the kernel is memory-bound.
 *
 * Flash-decoding (Dao, Haziza, Massa, Sizov 2023). docs/hopper.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/parts.cuh"
#include "07_cuda/tile/warpgroup.cuh"

static const int threads = 128, Stages = stages(3, 4);

/* Q, K: bytes of a tile; those of K and of V have 16 KiB. smem: bytes of a
 * block. Two blocks fit on a multiprocessor. */
template <int D> struct sizes {
    static const int Bc = 8192 / D;
    static const int Q = Br * D * 2, K = Bc * D * 2;
    static const int smem = 1024 + Q + Stages * 2 * K;
};
static const int blocks_at_once = 2; /* on a multiprocessor */

extern __shared__ __align__(64) char smem[];

/* Stores O, m and l of this thread's two rows of the group, r and r + 8. */
template <int D>
static __device__ void store_part(const rung_problem &p, const partial &out,
                                  int r, const float (&o)[D / 2],
                                  const two_rows &rows)
{
    int part = blockIdx.x % out.parts;

#pragma unroll
    for (int k = 0; k < 2; k++) {
        size_t at = (size_t)blockIdx.y * out.parts + part;
        float l = sum_of_lanes<4>(rows.l[k]);

        at = at * rows_of_group(p) + r + 8 * k;
        if (r + 8 * k >= rows_of_group(p))
            continue;
#pragma unroll
        for (int e = 2 * k; e < D / 2; e += 4)
            *(float2 *)&out.O[at * D + column_of(e)] = {o[e], o[e + 1]};
        if (threadIdx.x % 4 == 0) {
            out.m[at] = rows.m[k];
            out.l[at] = l;
        }
    }
}

/* ANCHOR: kernel */
/* Block (x, y) computes part x % parts for tile of rows x / parts, group y. */
template <int D>
static __global__ void __launch_bounds__(threads, blocks_at_once)
    split_kv_attend(rung_problem p, partial out,
                    const __grid_constant__ tensor_maps maps)
{
    const int Bc = sizes<D>::Bc;
    mbarrier *full = (mbarrier *)smem; /* Q is at least 64 bytes after it */
    char *Q = smem + 1024 - shared_address(smem) % 1024;
    char *K = Q + sizes<D>::Q, *V = K + Stages * sizes<D>::K;
    int r0 = blockIdx.x / out.parts * Br, r = r0 + row_of_thread();
    int first = blockIdx.x % out.parts * out.keys;
    int end = min(first + out.keys, keys_of_tile(p, r0));
    int tiles = (end - first + Bc - 1) / Bc;
    int seen[2] = {keys_of_row(p, r), keys_of_row(p, r + 8)};
    bool lead = threadIdx.x == 0;
    float s[Bc / 2], o[D / 2] = {}, alpha[2];
    unsigned P[Bc / 16][4];
    two_rows rows = no_keys_yet();

    auto load_keys = [&](int j) {
        int stage = j % Stages, j0 = first + j * Bc;

        mbarrier_arrive_and_expect(
            &full[stage], 2 * sizes<D>::K + (j == 0 ? sizes<D>::Q : 0));
        if (j == 0)
            load_panels<D>(Q, &maps.Q, Br, r0, blockIdx.y, &full[stage]);
        load_panels<D>(K + stage * sizes<D>::K, &maps.K, Bc, j0, blockIdx.y,
                       &full[stage]);
        load_panels<D>(V + stage * sizes<D>::K, &maps.V, Bc, j0, blockIdx.y,
                       &full[stage]);
    };

    if (end <= first)
        return; /* the part has no keys, and the merge skips it */
    if (lead) {
        for (int stage = 0; stage < Stages; stage++)
            mbarrier_init(&full[stage], 1);
        fence_mbarrier_init();
        for (int j = 0; j < min(Stages, tiles); j++)
            load_keys(j);
    }
    __syncthreads();
    for (int j = 0; j < tiles; j++) {
        int stage = j % Stages, j0 = first + j * Bc;

        /* load */
        mbarrier_wait(&full[stage], j / Stages % 2);
        /* scores */
        start_scores<D, Br, Bc>(s, Q, K + stage * sizes<D>::K);
        wgmma_wait<0>(s);
        /* update */
        mask<Bc>(s, p.scale, {seen[0] - j0, seen[1] - j0});
        softmax(s, rows, alpha, p.scale);
        rescale(o, alpha);
        pack(P, s);
        start_output<D, Bc>(o, P, V + stage * sizes<D>::K);
        wgmma_wait<0>(o);
        __syncthreads(); /* all four warps are done with this stage */
        if (lead && j + Stages < tiles)
            load_keys(j + Stages);
    }
    /* finish */
    store_part<D>(p, out, r, o, rows);
}
/* ANCHOR_END: kernel */

/* Returns 2^{x - m}, or 0 if m is -inf (no key seen yet). */
static __device__ float exp2_minus(float x, float m)
{
    return exp2_approx(x - (m == -INFINITY ? 0 : m));
}

/* ANCHOR: merge */
/* A warp merges one row, 32 parts at a time. A lane loads m and l of one part.
 * Then each lane adds its columns of O of all 32 parts, in a fixed order. */
template <int D>
static __global__ void __launch_bounds__(threads)
    split_kv_merge(rung_problem p, partial in)
{
    int rows = rows_of_group(p), lane = threadIdx.x % 32;
    int row = blockIdx.x * (threads / 32) + threadIdx.x / 32;
    size_t base = (size_t)blockIdx.y * in.parts * rows + row;
    one_head<unsigned> h = head_of<unsigned>(p, blockIdx.y * p.group);
    float m = -INFINITY, l = 0, o[D / 64][2] = {};

    if (row >= rows)
        return;
    int parts = (keys_of_tile(p, row / Br * Br) + in.keys - 1) / in.keys;
    for (int k0 = 0; k0 < parts; k0 += 32) {
        bool here = k0 + lane < parts;
        size_t at = base + (size_t)(k0 + lane) * rows;
        float m_part = here ? in.m[at] : -INFINITY;
        float m_new = fmaxf(m, max_of_lanes<32>(m_part));
        float alpha = exp2_minus(m, m_new), beta = exp2_minus(m_part, m_new);

        m = m_new;
        l = alpha * l + sum_of_lanes<32>(here ? beta * in.l[at] : 0);
        for (int c = 0; c < D / 64; c++)
            o[c][0] *= alpha, o[c][1] *= alpha;
#pragma unroll 8
        for (int k = 0; k < min(32, parts - k0); k++) {
            const float *O = &in.O[(base + (size_t)(k0 + k) * rows) * D];
            float weight = __shfl_sync(~0u, beta, k);

            for (int c = 0; c < D / 64; c++) {
                float2 x = *(const float2 *)&O[64 * c + 2 * lane];

                o[c][0] += weight * x.x;
                o[c][1] += weight * x.y;
            }
        }
    }
    for (int c = 0; c < D / 64; c++)
        h.O[((size_t)row * D + 64 * c) / 2 + lane] =
            pack_bf16x2(o[c][0] * inverse(l), o[c][1] * inverse(l));
    if (lane == 0)
        h.L[row] = m * LN2 + logf(l);
}
/* ANCHOR_END: merge */

int rung_split_kv_keys(const rung_problem *p, int multiprocessors)
{
    const int Bc = p->D == 64 ? sizes<64>::Bc : sizes<128>::Bc;
    int blocks = tiles_of_rows(p) * (p->heads / p->group);
    int seen = min(p->Nk, p->Nq + p->offset), tiles = (seen + Bc - 1) / Bc;
    int parts = parts_for(blocks, tiles, blocks_at_once * multiprocessors);

    return max(1, (tiles + parts - 1) / parts) * Bc;
}

/* At D = 128 two blocks need 228 KiB, 2 of them for CUDA: all shared memory
 * that a multiprocessor can have. The rest of its 256 KiB is L1 cache. */
template <int D> static int prepare(const rung_problem *p, tensor_maps *maps)
{
    int error = maps_of_groups(p, sizes<D>::Bc, maps);

    if (!error)
        error = allow(split_kv_attend<D>, sizes<D>::smem);
    if (!error)
        error = cudaFuncSetAttribute(
            split_kv_attend<D>, cudaFuncAttributePreferredSharedMemoryCarveout,
            cudaSharedmemCarveoutMaxShared);
    return error;
}

template <int D> static int start(const rung_problem *p, int keys)
{
    static cached<tensor_maps> maps;
    partial parts = {nullptr, nullptr, nullptr, 1, keys};
    int groups = p->heads / p->group, rows = rows_of_group(*p), freed;
    int error = maps.get(p, [=](tensor_maps *m) { return prepare<D>(p, m); });

    parts.parts = max(1, (p->Nk + keys - 1) / keys);
    size_t n = (size_t)groups * parts.parts * rows;
    if (!error)
        error = cudaMallocAsync(&parts.O, n * (D + 2) * sizeof(float), 0);
    if (error)
        return error;
    parts.m = parts.O + n * D;
    parts.l = parts.m + n;
    split_kv_attend<D><<<dim3(parts.parts * tiles_of_rows(p), groups), threads,
                         sizes<D>::smem>>>(*p, parts, maps);
    split_kv_merge<D><<<dim3((rows + 3) / 4, groups), threads>>>(*p, parts);
    error = cudaGetLastError();
    freed = cudaFreeAsync(parts.O, 0);
    return error ? error : freed;
}

int rung_split_kv_by(const rung_problem *p, int keys)
{
    return for_D<64, 128>(p, [=](auto D) { return start<D>(p, keys); });
}

struct part_size {
    int keys;
};

int rung_split_kv(const rung_problem *p)
{
    static cached<part_size> part;
    int error = part.get(p, [=](part_size *of) {
        int n, error = multiprocessors(&n);

        of->keys = error ? 0 : rung_split_kv_keys(p, n);
        return error;
    });

    return error ? error : rung_split_kv_by(p, part.keys);
}
