/*
 * Rung 8: wgmma and TMA, Hopper's tensor core instruction and copy engine.
 *
 * Changed since rung 7: a warpgroup of four warps multiplies 64 rows by one
 * instruction, wgmma, which reads Q, K and V from shared memory. One thread
 * starts the copies by TMA, with the swizzle that wgmma needs, and an mbarrier
 * counts the copied bytes. Every thread computes products and softmax one after
 * the other, so a warpgroup does not use the tensor cores during its softmax.
 *
 * docs/hopper.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/warpgroup.cuh"

static const int threads = 256, Br = 128, Bc = 128, Stages = stages(2, 3);

/* Q, K: bytes of a tile. smem: bytes of all tiles, and 1024 to align them. */
template <int D> struct bytes {
    static const int Q = Br * D * 2, K = Bc * D * 2;
    static const int smem = Q + Stages * 2 * K + 1024;
};

extern __shared__ char smem[];

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads, 1)
    flash2_hopper_wgmma(rung_problem p,
                        const __grid_constant__ tensor_maps maps)
{
    __shared__ mbarrier q_full, full[Stages];
    char *Q = tiles_in_shared(smem);
    char *K = Q + bytes<D>::Q, *V = K + Stages * bytes<D>::K;
    int head = blockIdx.y, kv_head = head / p.group, i0 = blockIdx.x * Br;
    int group = warpgroup(), i = i0 + 64 * group + row_of_thread();
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    int tiles = (seen + Bc - 1) / Bc;
    bool lead = threadIdx.x == 0;
    float s[Bc / 2], o[D / 2] = {}, alpha[2];
    unsigned P[Bc / 16][4];
    two_rows rows = no_keys_yet();

    auto load_keys = [&](int j) {
        int stage = j % Stages;

        mbarrier_arrive_and_expect(&full[stage], 2 * bytes<D>::K);
        load_panels<D>(K + stage * bytes<D>::K, &maps.K, Bc, j * Bc, kv_head,
                       &full[stage]);
        load_panels<D>(V + stage * bytes<D>::K, &maps.V, Bc, j * Bc, kv_head,
                       &full[stage]);
    };

    if (lead) {
        mbarrier_init(&q_full, 1);
        for (int stage = 0; stage < Stages; stage++)
            mbarrier_init(&full[stage], 1);
        fence_mbarrier_init();
    }
    __syncthreads();
    if (lead && tiles > 0) {
        mbarrier_arrive_and_expect(&q_full, bytes<D>::Q);
        load_panels<D>(Q, &maps.Q, Br, i0, head, &q_full);
        for (int j = 0; j < min(Stages, tiles); j++)
            load_keys(j);
    }
    if (tiles > 0)
        mbarrier_wait(&q_full, 0);
    for (int j = 0; j < tiles; j++) {
        int stage = j % Stages;

        /* load */
        mbarrier_wait(&full[stage], j / Stages % 2);
        /* scores */
        start_scores<D, Br, Bc>(s, Q + group * 64 * 128,
                                K + stage * bytes<D>::K);
        wgmma_wait<0>(s);
        /* update */
        mask<Bc>(s, p, p.scale, i, j * Bc);
        softmax(s, rows, alpha, p.scale);
        rescale(o, alpha);
        pack(P, s);
        start_output<D, Bc>(o, P, V + stage * bytes<D>::K);
        wgmma_wait<0>(o);
        __syncthreads(); /* both warpgroups are done with this stage */
        if (lead && j + Stages < tiles)
            load_keys(j + Stages);
    }
    /* finish */
    finish_rows<D>(p, head, i, o, rows);
}
/* ANCHOR_END: kernel */

int rung_wgmma(const rung_problem *p)
{
    return for_D<64, 128>(p, [=](auto D) {
        static cached<tensor_maps> maps;
        int size = bytes<D>::smem, error = maps.get(p, [=](tensor_maps *m) {
            int error = tensor_maps_of(p, Br, Bc, m);

            return error ? error : allow(flash2_hopper_wgmma<D>, size);
        });

        if (!error)
            flash2_hopper_wgmma<D><<<grid_of(p, Br), threads, size>>>(*p, maps);
        return error ? error : (int)cudaGetLastError();
    });
}
