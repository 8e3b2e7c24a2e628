/*
 * Backward rung 4a: wgmma and TMA, in two kernels.
 *
 * Changed since backward rung 3: the kernels use wgmma and TMA. dQ has its own
 * kernel, so no sum is in HBM, and P and dS stay in registers from one product
 * to the next. The kernels have the same pattern, with queries and keys
 * swapped:
 *
 *     dK, dV: own 128 keys     S^T = K Q^T   dP^T = V dO^T   dV += P^T dO
 *                                                            dK += dS^T Q
 *     dQ: own 128 queries      S   = Q K^T   dP   = dO V^T   dQ += dS K
 *
 * S and dP are products of a tile that the block owns (operand A) and a loaded
 * tile (operand B). For dV, dK and dQ, operand A is P or dS in registers.
 *
 * FlashAttention-3, arXiv 2407.08608, appendix B.1. docs/07_backward.md
 */
#include "07_cuda/backward/hopper.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 256, Own = 128, Stages = stages(2, 2);

/* Br, Bc: queries or keys of a loaded tile. At D = 128, dK and dV leave too few
 * registers for S and dP of 128 queries. The others are bytes. */
template <int D> struct sizes {
    static const int Br = D == 64 ? 128 : 64, Bc = 128;
    static const int own = 2 * Own * D * 2;
    static const int queries = 2 * Br * D * 2, keys = 2 * Bc * D * 2;
    static const int dkv_smem = own + Stages * queries + 1024;
    static const int dq_smem = own + Stages * keys + 1024;
};

extern __shared__ char smem[];

/* Initialises mbarriers for one arrival each. All threads call it. */
static __device__ void init_barriers(mbarrier *own, mbarrier *full)
{
    if (threadIdx.x == 0) {
        mbarrier_init(own, 1);
        for (int stage = 0; stage < Stages; stage++)
            mbarrier_init(&full[stage], 1);
        fence_mbarrier_init();
    }
    __syncthreads();
}

/* ANCHOR: dq */
template <int D>
static __global__ void __launch_bounds__(threads, 1)
    flash2_backward_wgmma_dQ(gradient_problem p,
                             const __grid_constant__ gradient_maps maps)
{
    const int Bc = sizes<D>::Bc;
    __shared__ mbarrier own, full[Stages];
    char *Q = tiles_in_shared(smem), *dO = Q + Own * D * 2;
    char *K = Q + sizes<D>::own, *V = K + Bc * D * 2;
    const rung_problem &f = p.forward;
    int head = blockIdx.y, i0 = blockIdx.x * Own;
    int group = warpgroup(), i = i0 + 64 * group + row_of_thread();
    int tiles = (keys_seen(f, min(i0 + Own, f.Nq) - 1) + Bc - 1) / Bc;
    query_numbers of_row[2] = {numbers_of(p, head, i),
                               numbers_of(p, head, i + 8)};
    float dq[D / 2] = {};

    auto load = [&](int t) {
        load_two<D>(K + t % Stages * sizes<D>::keys, &maps.K, &maps.V, Bc,
                    t * Bc, head / f.group, &full[t % Stages]);
    };

    init_barriers(&own, full);
    if (threadIdx.x == 0 && tiles > 0) {
        load_two<D>(Q, &maps.Q, &maps.dO, Own, i0, head, &own);
        for (int t = 0; t < min(Stages, tiles); t++)
            load(t);
    }
    if (tiles > 0)
        mbarrier_wait(&own, 0);
    for (int t = 0; t < tiles; t++) {
        int here = t % Stages * sizes<D>::keys;
        int seen[2] = {keys_seen(f, i) - t * Bc, keys_seen(f, i + 8) - t * Bc};
        float s[Bc / 2], dp[Bc / 2];
        unsigned dS[Bc / 16][4];

        /* load */
        mbarrier_wait(&full[t % Stages], t / Stages % 2);
        /* scores */
        start_scores<D, Own, Bc>(s, Q + group * 64 * 128, K + here);
        start_scores<D, Own, Bc>(dp, dO + group * 64 * 128, V + here);
        wgmma_wait<1>(s);
        /* update */
        for_each<Bc / 2>(
            [&](int e) { s[e] = weight(f.scale, s[e], of_row[which_row(e)]); });
        if (min(seen[0], seen[1]) < Bc)
            for_each<Bc / 2>([&](int e) {
                s[e] = column_of(e) < seen[which_row(e)] ? s[e] : 0;
            });
        wgmma_wait<0>(dp);
        for_each<Bc / 2>(
            [&](int e) { dp[e] = s[e] * (dp[e] - of_row[which_row(e)].D); });
        pack(dS, dp);
        start_output<D, Bc>(dq, dS, K + here);
        wgmma_wait<0>(dq);
        __syncthreads(); /* both warpgroups are done with this stage */
        if (threadIdx.x == 0 && t + Stages < tiles)
            load(t + Stages);
    }
    /* finish */
    store_gradient<D>(p.dQ, head, i, f.Nq, f.scale, dq);
}
/* ANCHOR_END: dq */

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads, 1)
    flash2_backward_wgmma_dKV(gradient_problem p,
                              const __grid_constant__ gradient_maps maps)
{
    const int Br = sizes<D>::Br;
    __shared__ mbarrier own, full[Stages];
    __shared__ query_numbers of_column[Stages][Br];
    char *K = tiles_in_shared(smem), *V = K + Own * D * 2;
    char *Q = K + sizes<D>::own, *dO = Q + Br * D * 2;
    const rung_problem &f = p.forward;
    int head = blockIdx.y, j0 = blockIdx.x * Own;
    int group = warpgroup(), j = j0 + 64 * group + row_of_thread();
    query_tiles<Br> q(f, j0);
    int sees[2] = {first_query(f, j), first_query(f, j + 8)};
    float dk[D / 2] = {}, dv[D / 2] = {};

    auto load = [&](int t) {
        load_two<D>(Q + t % Stages * sizes<D>::queries, &maps.Q, &maps.dO, Br,
                    q.i0(t), q.head(t), &full[t % Stages]);
    };
    auto load_numbers = [&](int t) {
        if (threadIdx.x < Br && t < q.n)
            of_column[t % Stages][threadIdx.x] =
                numbers_of(p, q.head(t), q.i0(t) + threadIdx.x);
    };

    load_numbers(0);
    init_barriers(&own, full);
    if (threadIdx.x == 0 && q.n > 0) {
        load_two<D>(K, &maps.K, &maps.V, Own, j0, head, &own);
        for (int t = 0; t < min(Stages, q.n); t++)
            load(t);
    }
    if (q.n > 0)
        mbarrier_wait(&own, 0);
    for (int t = 0; t < q.n; t++) {
        int here = t % Stages * sizes<D>::queries;
        int i0 = q.i0(t);
        const query_numbers *n = of_column[t % Stages];
        float s[Br / 2], dp[Br / 2];
        unsigned P[Br / 16][4], dS[Br / 16][4];

        /* load */
        mbarrier_wait(&full[t % Stages], t / Stages % 2);
        /* scores */
        start_scores<D, Own, Br>(s, K + group * 64 * 128, Q + here);
        start_scores<D, Own, Br>(dp, V + group * 64 * 128, dO + here);
        load_numbers(t + 1);
        wgmma_wait<1>(s);
        /* update */
        for_each<Br / 2>(
            [&](int e) { s[e] = weight(f.scale, s[e], n[column_of(e)]); });
        if (max(sees[0], sees[1]) > i0)
            for_each<Br / 2>([&](int e) {
                s[e] = i0 + column_of(e) < sees[which_row(e)] ? 0 : s[e];
            });
        pack(P, s);
        wgmma_wait<0>(dp);
        start_output<D, Br>(dv, P, dO + here);
        for_each<Br / 2>(
            [&](int e) { dp[e] = s[e] * (dp[e] - n[column_of(e)].D); });
        pack(dS, dp);
        start_output<D, Br>(dk, dS, Q + here);
        wgmma_wait<1>(dv);
        wgmma_wait<0>(dk);
        __syncthreads(); /* both warpgroups are done with this stage */
        if (threadIdx.x == 0 && t + Stages < q.n)
            load(t + Stages);
    }
    /* finish */
    store_gradient<D>(p.dK, head, j, f.Nk, f.scale, dk);
    store_gradient<D>(p.dV, head, j, f.Nk, 1, dv);
}
/* ANCHOR_END: kernel */

struct maps_of_both {
    gradient_maps dQ, dKV;
};

int backward_wgmma(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return for_D<64, 128>(&f, [=](auto D) {
        typedef sizes<D> is;
        unsigned blocks = blocks_for_D<__nv_bfloat16, D>(f, threads);
        dim3 keys((f.Nk + Own - 1) / Own, f.heads / f.group);
        dim3 queries = grid_of(&f, Own);
        const int dQ = is::dq_smem, dKV = is::dkv_smem;
        static cached<maps_of_both, gradient_problem> maps;
        int error = maps.get(p, [=](maps_of_both *m) {
            int error = maps_of(p, Own, is::Bc, &m->dQ);

            if (!error)
                error = maps_of(p, is::Br, Own, &m->dKV);
            if (!error)
                error = allow(flash2_backward_wgmma_dQ<D>, dQ);
            if (!error)
                error = allow(flash2_backward_wgmma_dKV<D>, dKV);
            return error;
        });

        if (error)
            return error;
        flash2_backward_rows_of_D<__nv_bfloat16, D><<<blocks, threads>>>(*p);
        flash2_backward_wgmma_dQ<D><<<queries, threads, dQ>>>(*p, maps.dQ);
        flash2_backward_wgmma_dKV<D><<<keys, threads, dKV>>>(*p, maps.dKV);
        return (int)cudaGetLastError();
    });
}
