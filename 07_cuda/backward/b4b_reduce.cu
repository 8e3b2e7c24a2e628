/*
 * Backward rung 4b: one kernel with five products. TMA adds dQ in HBM.
 *
 * Changed since backward rung 4a: there is one kernel, in which a block owns
 * keys. dQ is summed in HBM in fp32, as in backward rung 3, but no thread adds.
 * The consumers store a tile's dQ in shared memory. Then TMA adds the tile
 * while the consumers continue.
 *
 *     warpgroup 0    one thread loads tiles; one thread starts the additions
 *     1 and 2        64 keys each:  dV += P^T dO   dK += dS^T Q
 *                    then half of a tile's dQ each:  dQ = dS K (128 keys)
 *
 * dS^T is stored in shared memory, because dQ is a sum over the keys of both
 * warpgroups. wgmma reads it by columns, so no thread transposes it.
 *
 * FlashAttention-3, arXiv 2407.08608, appendix B.1. docs/07_backward.md
 */
#include "07_cuda/backward/hopper.cuh"
#include "07_cuda/backward/round.cuh"
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/roles.cuh"

static const int threads = 384, Own = 128, Stages = stages(2, 2);
static const int computing = 256;

/* Br: queries of a tile. The others are bytes; dS is one of two buffers. */
template <int D> struct sizes {
    static const int Br = D == 64 ? 128 : 64;
    static const int own = 2 * Own * D * 2, queries = 2 * Br * D * 2;
    static const int dS = Own * Br * 2, dQ = Br * D * 4;
    static const int smem = own + Stages * queries + 2 * dS + dQ + 1024;
};

template <int D> struct places {
    char *K, *V, *Q, *dS, *dQ;

    __device__ places(char *smem)
    {
        K = tiles_in_shared(smem);
        V = K + Own * D * 2;
        Q = K + sizes<D>::own; /* a stage has Q, then dO */
        dS = Q + Stages * sizes<D>::queries;
        dQ = dS + 2 * sizes<D>::dS;
    }
};

struct all_barriers {
    mbarrier own, full[Stages], empty[Stages], dQ_full, dQ_empty;
};

template <int D> using passing = query_tiles<sizes<D>::Br>;

extern __shared__ char smem[];

template <int D>
static __device__ void produce(const gradient_maps &maps, const passing<D> &q,
                               const places<D> &at, all_barriers &b)
{
    turn<Stages> k;

    if (q.n > 0)
        load_two<D>(at.K, &maps.K, &maps.V, Own, blockIdx.x * Own, blockIdx.y,
                    &b.own);
    for (int t = 0; t < q.n; t++, k.next()) {
        mbarrier_wait(&b.empty[k.stage], k.parity ^ 1);
        load_two<D>(at.Q + k.stage * sizes<D>::queries, &maps.Q, &maps.dO,
                    sizes<D>::Br, q.i0(t), q.head(t), &b.full[k.stage]);
    }
}

/* ANCHOR: add */
/* Adds the stored tiles of dQ in HBM, 32 columns of all rows at a time. After
 * TMA has read a tile, the consumers may store the next one. */
template <int D>
static __device__ void add_dQ(const gradient_maps &maps, const passing<D> &q,
                              const places<D> &at, all_barriers &b)
{
    for (int t = 0; t < q.n; t++) {
        mbarrier_wait(&b.dQ_full, t % 2);
        for (int c = 0; c < D; c += 32)
            tma_add(&maps.dQ_sum, at.dQ + c / 32 * sizes<D>::Br * 128, c,
                    q.i0(t), q.head(t));
        bulk_commit();
        bulk_wait_read<0>();
        mbarrier_arrive(&b.dQ_empty);
    }
}
/* ANCHOR_END: add */

/* Stores dS^T of this thread's keys in panels of 64 queries, with the swizzle
 * that wgmma expects. Each store has two neighbouring queries (column_of). */
template <int Br>
static __device__ void put_dS(char *to, int group,
                              const unsigned (&dS)[Br / 16][4])
{
    int key = 64 * group + row_of_thread(), t = threadIdx.x % 4;

    for_each<Br / 4>(
        [&](int r) { /* dS of 16 queries is in four registers */
                     int chunk = r / 4 * 2 + r % 4 / 2, j = key + r % 2 * 8;
                     char *row = to + chunk / 8 * Own * 128 + j * 128;

                     *(unsigned *)(row + (chunk % 8 ^ j % 8) * 16 + 4 * t) =
                         dS[r / 4][r % 4];
        });
}

/* Stores 64 x 64 elements of dQ, from row and column on, in panels of 32
 * columns. */
template <int Br>
static __device__ void put_dQ(char *to, int row, int column,
                              const float (&dq)[32])
{
    row += row_of_thread();
    for_each<16>(
        [&](int n) { /* elements 2n and 2n + 1 */
                     int i = row + n % 2 * 8, c = column + column_of(2 * n);
                     char *at = to + c / 32 * Br * 128 + i * 128;

                     *(float2 *)(at + (c % 32 / 4 ^ i % 8) * 16 + c % 4 * 4) =
                         make_float2(dq[2 * n], dq[2 * n + 1]);
        });
}

/* ANCHOR: kernel */
template <int D>
static __device__ void consume(const gradient_problem &p, const passing<D> &q,
                               const places<D> &at, all_barriers &b,
                               query_numbers (*of_column)[sizes<D>::Br])
{
    const int Br = sizes<D>::Br;
    const rung_problem &f = p.forward;
    int me = threadIdx.x - 128, group = me / 128;
    int j = blockIdx.x * Own + 64 * group + row_of_thread();
    int sees[2] = {first_query(f, j), first_query(f, j + 8)};
    /* This warpgroup's first key, and first row (D = 64) or column of dQ. */
    int half = 64 * (warpgroup() - 1);
    int row = D == 64 ? half : 0, column = D == 64 ? 0 : half;
    float dk[D / 2] = {}, dv[D / 2] = {};
    turn<Stages> k;

    auto load_numbers = [&](int t) {
        if (me < Br && t < q.n)
            of_column[t % 2][me] = numbers_of(p, q.head(t), q.i0(t) + me);
    };

    load_numbers(0);
    bar_sync(1, computing);
    if (q.n > 0)
        mbarrier_wait(&b.own, 0);
    for (int t = 0; t < q.n; t++, k.next()) {
        const char *Q = at.Q + k.stage * sizes<D>::queries;
        const char *dO = Q + Br * D * 2;
        char *dS_there = at.dS + t % 2 * sizes<D>::dS;
        const query_numbers *n = of_column[t % 2];
        float s[Br / 2], dp[Br / 2], dq[32];
        unsigned P[Br / 16][4], dS[Br / 16][4];

        /* load */
        mbarrier_wait(&b.full[k.stage], k.parity);
        /* scores */
        start_scores<D, Own, Br>(s, at.K + half * 128, Q);
        start_scores<D, Own, Br>(dp, at.V + half * 128, dO);
        load_numbers(t + 1);
        wgmma_wait<1>(s);
        /* update */
        for_each<Br / 2>(
            [&](int e) { s[e] = weight(f.scale, s[e], n[column_of(e)]); });
        if (max(sees[0], sees[1]) > q.i0(t))
            for_each<Br / 2>([&](int e) {
                s[e] = q.i0(t) + column_of(e) < sees[which_row(e)] ? 0 : s[e];
            });
        wgmma_wait<0>(dp);
        for_each<Br / 2>(
            [&](int e) { dp[e] = s[e] * (dp[e] - n[column_of(e)].D); });
        pack(P, s);
        pack(dS, dp);
        /* The registers of dS are stored before wgmma uses them. */
        put_dS<Br>(dS_there, group, dS);
        fence_proxy_async();
        start_output<D, Br>(dv, P, dO);
        start_output<D, Br>(dk, dS, Q);
        bar_sync(1, computing); /* dS of all keys is stored */
        start_dQ<Own>(dq, dS_there + row * Own * 2, at.K + column * Own * 2);
        wgmma_wait<2>(dv);
        wgmma_wait<1>(dk);
        if (me % 128 == 0)
            mbarrier_arrive(&b.empty[k.stage]);
        wgmma_wait<0>(dq);
        mbarrier_wait(&b.dQ_empty, t % 2 ^ 1);
        put_dQ<Br>(at.dQ, row, column, dq);
        fence_proxy_async();
        mbarrier_arrive(&b.dQ_full);
    }
    /* finish */
    store_gradient<D>(p.dK, blockIdx.y, j, f.Nk, f.scale, dk);
    store_gradient<D>(p.dV, blockIdx.y, j, f.Nk, 1, dv);
}
/* ANCHOR_END: kernel */

template <int D>
static __global__ void __launch_bounds__(threads, 1)
    flash2_backward_reduce(gradient_problem p,
                           const __grid_constant__ gradient_maps maps)
{
    __shared__ all_barriers b;
    __shared__ query_numbers of_column[2][sizes<D>::Br];
    places<D> at(smem);
    passing<D> q(p.forward, blockIdx.x * Own);

    if (threadIdx.x == 0) {
        mbarrier_init(&b.own, 1);
        for (int s = 0; s < Stages; s++) {
            mbarrier_init(&b.full[s], 1);
            mbarrier_init(&b.empty[s], 2);
        }
        mbarrier_init(&b.dQ_full, computing);
        mbarrier_init(&b.dQ_empty, 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (threadIdx.x < 128) {
        fewer_registers<24>();
        if (threadIdx.x == 0)
            produce<D>(maps, q, at, b);
        if (threadIdx.x == 32)
            add_dQ<D>(maps, q, at, b);
    } else {
        more_registers<240>();
        consume<D>(p, q, at, b, of_column);
    }
}

int backward_reduce(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return for_D<64, 128>(&f, [=](auto D) {
        unsigned blocks = blocks_for_D<__nv_bfloat16, D>(f, threads);
        dim3 keys((f.Nk + Own - 1) / Own, f.heads / f.group);
        static cached<gradient_maps, gradient_problem> maps;
        int size = sizes<D>::smem, error = maps.get(p, [=](gradient_maps *m) {
            int error = maps_of(p, sizes<D>::Br, Own, m);

            return error ? error : allow(flash2_backward_reduce<D>, size);
        });

        if (!error)
            error = clear_dQ_sum(p);
        if (error)
            return error;
        flash2_backward_rows_of_D<__nv_bfloat16, D><<<blocks, threads>>>(*p);
        flash2_backward_reduce<D><<<keys, threads, size>>>(*p, maps);
        flash2_backward_round_dQ<<<blocks_to_round(f, threads), threads>>>(*p);
        return (int)cudaGetLastError();
    });
}
