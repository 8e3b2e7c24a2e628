/*
 * Rung 10: the tensor cores multiply during softmax.
 *
 * Changed since rung 9: exponentials overlap with matrix products in two ways.
 * First, a consumer starts Q K^T of the next tile and P V of this tile before
 * the next tile's softmax. Second, named barriers make the consumers start
 * their products in turn ("ping-pong").
 *
 * The wait for the next K is between softmax and the wait for P V. If it is at
 * the top of the loop, the machine code does not run softmax during P V
 * (docs/hopper.md, "What the machine code showed").
 *
 * FlashAttention-3, arXiv 2407.08608, sections 3.1 and 3.2, Algorithm 2.
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
    int group = threadIdx.x / 128 - 1, next = (group + 1) % R::Groups;
    bool lead = threadIdx.x % 128 == 0;
    turn<R::Stages> k, v; /* v is one tile behind k */
    turn<1> q;

    if (next == 0)
        give_turn_to(next); /* so that the first group can start */
    for (int t = blockIdx.x; t < works<R>(p); t += gridDim.x) {
        work w = work_number<R>(p, t);
        int i = w.i0 + 64 * group + row_of_thread();
        float s[Bc / 2], o[D / 2] = {}, alpha[2];
        unsigned P[Bc / 16][4];
        two_rows rows = no_keys_yet();
        const char *Q = at.Q + (warpgroup() - 1) * 64 * 128;

        auto visit = [&](int j, auto cut) {
            wait_for_turn(group);
            /* scores */
            start_scores<D, Br, Bc>(s, Q, at.K + k.stage * bytes);
            mbarrier_wait(&b.V_full[v.stage], v.parity);
            start_output<D, Bc>(o, P, at.V + v.stage * bytes);
            give_turn_to(next);
            /* update */
            wgmma_wait<1>(s);
            if (lead)
                mbarrier_arrive(&b.K_empty[k.stage]);
            if (cut)
                mask<Bc>(s, p, p.scale, i, j * Bc);
            softmax(s, rows, alpha, p.scale);
            k.next();
            if (j + 1 < w.tiles) /* here, not at the top: see above */
                mbarrier_wait(&b.K_full[k.stage], k.parity);
            wgmma_wait<0>(o);
            if (lead)
                mbarrier_arrive(&b.V_empty[v.stage]);
            rescale(o, alpha);
            pack(P, s);
            v.next();
        };

        if (w.tiles > 0) {
            mbarrier_wait(&b.Q_full, q.parity);
            mbarrier_wait(&b.K_full[k.stage], k.parity);
            start_scores<D, Br, Bc>(s, Q, at.K + k.stage * bytes);
            wgmma_wait<0>(s);
            if (lead)
                mbarrier_arrive(&b.K_empty[k.stage]);
            k.next();
            mask<Bc>(s, p, p.scale, i, 0);
            softmax(s, rows, alpha, p.scale);
            pack(P, s);
        }
        if (w.tiles > 1)
            mbarrier_wait(&b.K_full[k.stage], k.parity);
        for (int j = 1; j < w.full; j++)
            visit(j, constant<false>());
        for (int j = max(1, w.full); j < w.tiles; j++)
            visit(j, constant<true>());
        if (w.tiles > 0) {
            if (lead)
                mbarrier_arrive(&b.Q_empty);
            q.next();
            mbarrier_wait(&b.V_full[v.stage], v.parity);
            start_output<D, Bc>(o, P, at.V + v.stage * bytes);
            wgmma_wait<0>(o);
            if (lead)
                mbarrier_arrive(&b.V_empty[v.stage]);
            v.next();
        }
        /* finish */
        finish_rows<D>(p, w.head, i, o, rows);
    }
}
/* ANCHOR_END: consume */

/* ANCHOR: kernel */
template <class R>
static __global__ void __launch_bounds__(R::threads, 1)
    flash2_hopper_pingpong(rung_problem p,
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

int rung_pingpong(const rung_problem *p)
{
    return for_roles(p, [=](auto tiles) {
        typedef decltype(tiles) R;
        static cached<tensor_launch> l;
        int error = prepare<R>(flash2_hopper_pingpong<R>, p, &l),
            bytes = R::smem;

        if (error)
            return error;
        flash2_hopper_pingpong<R><<<l.blocks, R::threads, bytes>>>(*p, l.maps);
        return (int)cudaGetLastError();
    });
}
