/*
 * Two roles for rungs 9 to 11: a warpgroup that only loads, the producer, and
 * others that only compute, the consumers. mbarriers synchronise them: a stage
 * is full when its bytes have arrived, and empty when every consumer has
 * finished with it.
 */
#pragma once
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/warpgroup.cuh"

/* For D columns and tiles of so many keys: the number of consumers, the rows of
 * their tiles, the stages that fit, and how the roles divide a multiprocessor's
 * 65536 registers. */
template <int columns, int keys> struct roles {
    static const int D = columns, Groups = D == 64 ? 3 : 2;
    static const int Br = 64 * Groups, Bc = keys;
    static const int threads = 128 * (1 + Groups);
    static const int registers_to_load = D == 64 ? 32 : 24;
    static const int registers_to_compute = D == 64 ? 160 : 240;
    static const int Q = Br * D * 2, K = Bc * D * 2; /* bytes of a tile */
    static const int Stages = stages(D == 64 ? 4 : 2, (225 * 1024 - Q) / 2 / K);
    static const int smem = Q + Stages * 2 * K + 1024;
    /* Rungs 10 and 11 wait for K j + 1 while they hold V j - 1. */
    static_assert(Stages > 1, "with one stage they would wait forever");

    /* load starts the copy of rows of Q or K, load_V that of a tile of V. */
    static __device__ void load(char *to, const CUtensorMap *map, int rows,
                                int row0, int matrix, mbarrier *full)
    {
        load_panels<D>(to, map, rows, row0, matrix, full);
    }
    static __device__ void load_V(char *to, const CUtensorMap *map, int j0,
                                  int matrix, mbarrier *full)
    {
        load(to, map, Bc, j0, matrix, full);
    }
    static int maps_of(const rung_problem *p, tensor_maps *maps)
    {
        return tensor_maps_of(p, Br, Bc, maps);
    }
};

/* True if some tile of queries does not see all keys. */
static inline bool limited(const rung_problem *p, int Br)
{
    return min(Br, p->Nq) + p->offset < p->Nk;
}

/* Returns start(roles) with the roles for the problem: the largest tiles of
 * keys for which the consumers have registers. With a causal limit the tiles
 * are smaller, because less of a small tile is masked (docs/hopper.md). */
template <class Start> static int for_roles(const rung_problem *p, Start start)
{
    if (p->D == 64)
        return start(roles<64, 128>());
    if (p->D != 128)
        return cudaErrorInvalidValue;
    return limited(p, 128) ? start(roles<128, 128>())
                           : start(roles<128, 176>());
}

template <int Stages> struct barriers {
    mbarrier Q_full, Q_empty;
    mbarrier K_full[Stages], K_empty[Stages];
    mbarrier V_full[Stages], V_empty[Stages];

    /* One thread calls it; a __syncthreads must follow. */
    __device__ void init(int consumers)
    {
        mbarrier_init(&Q_full, 1);
        mbarrier_init(&Q_empty, consumers);
        for (int s = 0; s < Stages; s++) {
            mbarrier_init(&K_full[s], 1);
            mbarrier_init(&V_full[s], 1);
            mbarrier_init(&K_empty[s], consumers);
            mbarrier_init(&V_empty[s], consumers);
        }
        fence_mbarrier_init();
    }
};

template <class R> struct tiles_in {
    char *Q, *K, *V;

    __device__ tiles_in(char *smem)
    {
        Q = smem + (1024 - shared_address(smem) % 1024) % 1024;
        K = Q + R::Q;
        V = K + R::Stages * R::K;
    }
};

/* The next stage, and the parity of its phase. */
template <int Stages> struct turn {
    int stage = 0;
    unsigned parity = 0;

    __device__ void next()
    {
        if (++stage == Stages) {
            stage = 0;
            parity ^= 1;
        }
    }
};

/* Rungs 10 and 11: barrier 1 + group opens when that group waits for its turn
 * and the group before it has called give_turn_to. */
static inline __device__ void wait_for_turn(int group)
{
    bar_sync(1 + group, 256);
}
static inline __device__ void give_turn_to(int group)
{
    bar_arrive(1 + group, 256);
}

/* What a block computes in one turn: a tile of queries and its tiles of keys.
 * All of its queries see the first `full` tiles; the others need mask(). With a
 * scale that is not above 0 all tiles need it: full is 0. */
struct work {
    int head, kv_head, i0, tiles, full;
};

/* Returns the work for number t of all tiles of queries. heads_in_L2 heads come
 * before the next ones, so that their K and V stay in the L2 cache. Of these
 * the tiles with the most keys come first, so that no long one is last. */
template <class R>
static __host__ __device__ work work_number(const rung_problem &p, int t,
                                            int heads_in_L2)
{
    const int Br = R::Br, Bc = R::Bc;
    int tiles = (p.Nq + Br - 1) / Br;
    int first = t / (tiles * heads_in_L2) * heads_in_L2;
    int heads = min(heads_in_L2, p.heads - first);
    int n = t - first * tiles, head = first + n % heads;
    int i0 = (tiles - 1 - n / heads) * Br;
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);

    return {head, head / p.group, i0, (seen + Bc - 1) / Bc,
            p.scale > 0 ? keys_seen(p, i0) / Bc : 0};
}

/* Returns how many heads' K and V take 32 MiB. An H100's L2 cache has 50. */
template <int D>
static __host__ __device__ int heads_for_L2(const rung_problem &p)
{
    const int keys = (32 << 20) / (2 * 2 * D);

    return min(max(keys / max(p.Nk, 1), 1), p.heads / p.group) * p.group;
}

template <class R>
static __device__ work work_number(const rung_problem &p, int t)
{
    return work_number<R>(p, t, heads_for_L2<R::D>(p));
}

template <class R> static __device__ int works(const rung_problem &p)
{
    return (p.Nq + R::Br - 1) / R::Br * p.heads;
}

/* One thread fills each stage as soon as it is empty. In a new barrier the
 * phase before the first counts as complete. So the first wait for each stage,
 * with the other parity, returns at once. */
template <class R>
static __device__ void produce(const rung_problem &p, const tensor_maps &maps,
                               tiles_in<R> at, barriers<R::Stages> &b)
{
    const int Bc = R::Bc, bytes = R::K;
    turn<R::Stages> k;
    turn<1> q;

    for (int t = blockIdx.x; t < works<R>(p); t += gridDim.x) {
        work w = work_number<R>(p, t);

        if (w.tiles == 0)
            continue;
        mbarrier_wait(&b.Q_empty, q.parity ^ 1);
        mbarrier_arrive_and_expect(&b.Q_full, R::Q);
        R::load(at.Q, &maps.Q, R::Br, w.i0, w.head, &b.Q_full);
        q.next();
        for (int j = 0; j < w.tiles; j++, k.next()) {
            mbarrier_wait(&b.K_empty[k.stage], k.parity ^ 1);
            mbarrier_arrive_and_expect(&b.K_full[k.stage], bytes);
            R::load(at.K + k.stage * bytes, &maps.K, Bc, j * Bc, w.kv_head,
                    &b.K_full[k.stage]);
            mbarrier_wait(&b.V_empty[k.stage], k.parity ^ 1);
            mbarrier_arrive_and_expect(&b.V_full[k.stage], bytes);
            R::load_V(at.V + k.stage * bytes, &maps.V, j * Bc, w.kv_head,
                      &b.V_full[k.stage]);
        }
    }
}

/* On the host: stores the number of blocks. If all tiles take equally long, it
 * is one for each multiprocessor, and a block computes one tile after another.
 * With a causal limit they do not: then each tile has a block, which the GPU
 * starts on the first free multiprocessor. Returns 0 or a cudaError_t. */
static inline int blocks_for(const rung_problem *p, int Br, int *blocks)
{
    int all = (p->Nq + Br - 1) / Br * p->heads;
    int error =
        cudaDeviceGetAttribute(blocks, cudaDevAttrMultiProcessorCount, 0);

    if (*blocks > all || limited(p, Br))
        *blocks = all;
    return error;
}

struct tensor_launch {
    tensor_maps maps;
    int blocks;
};

/* Computes the arguments of a launch. Returns 0 or a cudaError_t. */
template <class R, class Kernel>
static int prepare(Kernel kernel, const rung_problem *p,
                   cached<tensor_launch> *l)
{
    return l->get(p, [=](tensor_launch *with) {
        int error = R::maps_of(p, &with->maps);

        if (!error)
            error = allow(kernel, R::smem);
        return error ? error : blocks_for(p, R::Br, &with->blocks);
    });
}
