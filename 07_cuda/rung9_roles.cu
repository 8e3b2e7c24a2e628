/*
 * Rung 9: warp specialisation. Some warps load, the others compute.
 *
 * Changed since rung 8: one warpgroup, the producer, only loads tiles, as many
 * ahead as there are stages. The other warpgroups, the consumers, compute.
 * Mbarriers for each stage replace __syncthreads, so the consumers do not wait
 * for each other at each tile. The producer releases most of its registers.
 * Tiles with the most keys come first (roles.cuh).
 *
 * docs/hopper.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/roles.cuh"

extern __shared__ char smem[];

/* ANCHOR: consume */
template <class R>
static __device__ void consume(const rung_problem &p, tiles_in<R> at,
                               barriers<R::Stages> &b)
{
    const int D = R::D, Br = R::Br, Bc = R::Bc, bytes = R::K;
    int group = warpgroup() - 1;
    bool lead = threadIdx.x % 128 == 0;
    turn<R::Stages> k;
    turn<1> q;

    for (int t = blockIdx.x; t < works<R>(p); t += gridDim.x) {
        work w = work_number<R>(p, t);
        int i = w.i0 + 64 * group + row_of_thread();
        float s[Bc / 2], o[D / 2] = {}, alpha[2];
        unsigned P[Bc / 16][4];
        two_rows rows = no_keys_yet();

        auto visit = [&](int j, auto cut) {
            /* load */
            mbarrier_wait(&b.K_full[k.stage], k.parity);
            /* scores */
            start_scores<D, Br, Bc>(s, at.Q + group * 64 * 128,
                                    at.K + k.stage * bytes);
            wgmma_wait<0>(s);
            if (lead)
                mbarrier_arrive(&b.K_empty[k.stage]);
            if (lead && j + 1 == w.tiles)
                mbarrier_arrive(&b.Q_empty);
            /* update */
            if (cut)
                mask<Bc>(s, p, p.scale, i, j * Bc);
            softmax(s, rows, alpha, p.scale);
            rescale(o, alpha);
            pack(P, s);
            mbarrier_wait(&b.V_full[k.stage], k.parity);
            start_output<D, Bc>(o, P, at.V + k.stage * bytes);
            wgmma_wait<0>(o);
            if (lead)
                mbarrier_arrive(&b.V_empty[k.stage]);
            k.next();
        };

        if (w.tiles > 0)
            mbarrier_wait(&b.Q_full, q.parity);
        for (int j = 0; j < w.full; j++)
            visit(j, constant<false>());
        for (int j = w.full; j < w.tiles; j++)
            visit(j, constant<true>());
        if (w.tiles > 0)
            q.next();
        /* finish */
        finish_rows<D>(p, w.head, i, o, rows);
    }
}
/* ANCHOR_END: consume */

/* ANCHOR: kernel */
template <class R>
static __global__ void __launch_bounds__(R::threads, 1)
    flash2_hopper_roles(rung_problem p,
                        const __grid_constant__ tensor_maps maps)
{
    __shared__ barriers<R::Stages> b;
    tiles_in<R> at(smem);

    if (threadIdx.x == 0)
        b.init(R::Groups);
    __syncthreads();
    if (threadIdx.x < 128) {
        fewer_registers<R::registers_to_load>();
        if (threadIdx.x == 0)
            produce<R>(p, maps, at, b);
    } else {
        more_registers<R::registers_to_compute>();
        consume<R>(p, at, b);
    }
}
/* ANCHOR_END: kernel */

int rung_roles(const rung_problem *p)
{
    return for_roles(p, [=](auto tiles) {
        typedef decltype(tiles) R;
        static cached<tensor_launch> l;
        int error = prepare<R>(flash2_hopper_roles<R>, p, &l), bytes = R::smem;

        if (error)
            return error;
        flash2_hopper_roles<R><<<l.blocks, R::threads, bytes>>>(*p, l.maps);
        return (int)cudaGetLastError();
    });
}

int rung_roles_work(const rung_problem *p, int t, int heads_in_L2, int *head,
                    int *i0, int *full)
{
    work w = {};

    for_D<64, 128>(p, [&](auto D) {
        w = work_number<roles<D, 128>>(
            *p, t, heads_in_L2 ? heads_in_L2 : heads_for_L2<D>(*p));
        return 0;
    });
    *head = w.head;
    *i0 = w.i0;
    *full = w.full;
    return w.tiles;
}
