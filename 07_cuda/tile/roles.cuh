/*
 * The two roles of warpgroups in rungs 9 to 11. The producer only loads tiles.
 * The consumers only compute. A stage is a buffer for a tile of K or V. It is
 * full when its bytes have arrived, and empty when every consumer has finished
 * with it.
 */
#pragma once
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/warpgroup.cuh"

/* Stages: as many as fit in shared memory, up to the usual number. The roles
 * divide a multiprocessor's 65536 registers. */
template <int columns, int keys> struct roles {
    static const int D = columns, Groups = D == 64 ? 3 : 2;
    static const int Br = 64 * Groups, Bc = keys;
    static const int threads = 128 * (1 + Groups);
    static const int registers_to_load = D == 64 ? 32 : 24;
    static const int registers_to_compute = D == 64 ? 160 : 240;
    static const int Q = Br * D * 2, K = Bc * D * 2; /* bytes of a tile */
    static const int Stages = stages(D == 64 ? 4 : 2, (225 * 1024 - Q) / 2 / K);
    static const int smem = Q + Stages * 2 * K + 1024;
    /* Rungs 10 and 11 wait for K of tile j + 1 before they release V of tile
     * j - 1. */
    static_assert(Stages > 1, "with one stage rungs 10 and 11 deadlock");

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

/* True if not every tile of queries sees all keys. */
static inline bool limited(const rung_problem *p, int Br)
{
    return min(Br, p->Nq) + p->offset < p->Nk;
}

/* Returns the result of start, or cudaErrorInvalidValue if D is not 64 or 128.
 * The tiles of keys are the largest for which the consumers have enough
 * registers. At D = 128 with a causal limit they are smaller, because a small
 * tile at the limit has fewer masked scores (docs/hopper.md). */
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

    /* One thread calls init. Then all threads call __syncthreads. */
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
        Q = tiles_in_shared(smem);
        K = Q + R::Q;
        V = K + R::Stages * R::K;
    }
};

/* The stage to use next, and the parity of its mbarrier's current phase. */
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

/* For rungs 10 and 11. wait_for_turn(group) waits for give_turn_to(group) of
 * another consumer, at named barrier 1 + group. */
static inline __device__ void wait_for_turn(int group)
{
    bar_sync(1 + group, 256);
}
static inline __device__ void give_turn_to(int group)
{
    bar_arrive(1 + group, 256);
}

/* tiles: the number of tiles of keys. full: the number of those, from the first
 * on, that need no mask(). If the scale is not above 0, full is 0. */
struct work {
    int head, kv_head, i0, tiles, full;
};

/* The tiles of heads_in_L2 heads come before those of the next heads, so that K
 * and V of these heads stay in the L2 cache. Among these tiles, those with the
 * most keys come first, so that the last tiles are short. */
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

/* Returns the number of query heads whose K and V take at most 32 MiB, but at
 * least one group of heads. An H100's L2 cache has 50 MiB. */
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

/* The producer, one thread, loads a tile into each stage as soon as it is
 * empty. In a new mbarrier the phase before the first one counts as complete,
 * so the first wait for each stage, which has parity 1, returns at once. */
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

/* Without a causal limit all tiles of queries take equally long, and there is
 * at most one block for each multiprocessor. With a causal limit there is one
 * block for each tile. Returns 0 or a cudaError_t. */
static inline int blocks_for(const rung_problem *p, int Br, int *blocks)
{
    int all = (p->Nq + Br - 1) / Br * p->heads;
    int error = multiprocessors(blocks);

    if (*blocks > all || limited(p, Br))
        *blocks = all;
    return error;
}

struct tensor_launch {
    tensor_maps maps;
    int blocks;
};

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
