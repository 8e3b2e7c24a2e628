/*
 * Rung 11: fp8 e4m3. Tensor cores multiply twice as fast as in bf16.
 *
 * Changed since rung 10: Q, K, V and P are e4m3, one byte with 3 bits of
 * fraction. Kernels before this one, the pre-pass, quantise blocks of Q, K and
 * V with one scale per block (quantise.cuh). They store V transposed: for 8-bit
 * operands, wgmma needs the terms of each dot product to be contiguous. P is
 * 2^8 times the weight, so that e4m3 represents weights down to 2^-17.
 *
 * O is accumulated in units of the scale of V's current block. Scores, m, l and
 * the sums of O are fp32. O may overflow if the largest numbers of two blocks
 * of V differ by a factor of more than about 2^80.
 *
 * FlashAttention-3, arXiv 2407.08608, section 3.3. docs/hopper.md
 */
#include "07_cuda/tile/e4m3.cuh"
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/quantise.cuh"
#include "07_cuda/tile/roles.cuh"

extern __shared__ char smem[];

/* The members of roles (roles.cuh) for e4m3. A tile has half the bytes of a
 * bf16 tile, so more tiles fit, and TMA loads a tile in one box. */
template <int columns> struct fp8_roles : roles<columns, FP8_KEYS> {
    typedef roles<columns, FP8_KEYS> bf16_roles;
    static const int D = columns, Bc = FP8_KEYS, Stages = stages(4, 4);
    static const int Q = bf16_roles::Q / 2, K = bf16_roles::K / 2; /* bytes */
    static const int smem = Q + Stages * 2 * K + 1024;

    static __device__ void load(char *to, const CUtensorMap *map, int rows,
                                int row0, int matrix, mbarrier *full)
    {
        spoil(to, rows * D);
        tma_load(to, map, full, 0, row0, matrix);
    }
    static __device__ void load_V(char *to, const CUtensorMap *map, int j0,
                                  int matrix, mbarrier *full)
    {
        spoil(to, K);
        tma_load(to, map, full, j0, 0, matrix);
    }
    static int maps_of(const rung_problem *p, tensor_maps *m)
    {
        fp8_arrays a = fp8_in(p);
        int Br = bf16_roles::Br, kv_heads = p->heads / p->group;
        int seen = max(fp8_seen(p), 1); /* a tensor map needs a row */
        int error = p->type == BF16 ? 0 : cudaErrorInvalidValue;

        if (!error)
            error =
                tensor_map_e4m3(&m->Q, a.Q, D, p->Nq, p->Nq, p->heads, D, Br);
        if (!error)
            error =
                tensor_map_e4m3(&m->K, a.K, D, a.keys, seen, kv_heads, D, Bc);
        if (!error)
            error = tensor_map_e4m3(&m->V, a.V, a.keys, D, D, kv_heads, Bc, D);
        return error;
    }
};

/* Returns 1 / x for a power of two x, by negating the exponent. */
static __device__ float inverse_of_power(float x)
{
    return __int_as_float((254 << 23) - __float_as_int(x));
}

static const float UP = 8; /* P is 2^UP times the weight: at most 256 */

/* ANCHOR: consume */
template <class R>
static __device__ void consume(const rung_problem &p, const fp8_arrays &a,
                               tiles_in<R> at, barriers<R::Stages> &b)
{
    const int D = R::D, Bc = R::Bc, bytes = R::K;
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
        unsigned P[Bc / 32][4];
        two_rows rows = no_keys_yet();
        const char *Q = at.Q + (warpgroup() - 1) * 64 * D;
        const float *k_scale = a.k + w.kv_head * a.k_blocks;
        const float *v_scale = a.v + w.kv_head * a.k_blocks;
        int q_block = min(w.i0 / 64 + group, a.q_blocks - 1);
        float q_scale = 0, unit = 1; /* o is in units of `unit` */

        auto visit = [&](int j, auto cut) {
            /* load */
            float scale = q_scale * k_scale[j], next_unit = v_scale[j];

            wait_for_turn(group);
            /* scores */
            start_scores<D, Bc>(s, Q, at.K + k.stage * bytes);
            mbarrier_wait(&b.V_full[v.stage], v.parity);
            start_output<D, Bc>(o, P, at.V + v.stage * bytes);
            give_turn_to(next);
            /* update */
            wgmma_wait<1>(s);
            if (lead)
                mbarrier_arrive(&b.K_empty[k.stage]);
            if (cut)
                mask<Bc>(s, p, scale, i, j * Bc);
            softmax(s, rows, alpha, scale, UP);
            k.next();
            if (j + 1 < w.tiles) /* here, not at the top: as in rung 10 */
                mbarrier_wait(&b.K_full[k.stage], k.parity);
            wgmma_wait<0>(o);
            if (lead)
                mbarrier_arrive(&b.V_empty[v.stage]);
            float ratio = unit * inverse_of_power(next_unit);

            alpha[0] *= ratio;
            alpha[1] *= ratio;
            unit = next_unit;
            rescale(o, alpha);
            pack_e4m3(P, s);
            v.next();
        };

        if (w.tiles > 0) {
            q_scale = p.scale * a.q[w.head * a.q_blocks + q_block];
            unit = v_scale[0];
            mbarrier_wait(&b.Q_full, q.parity);
            mbarrier_wait(&b.K_full[k.stage], k.parity);
            start_scores<D, Bc>(s, Q, at.K + k.stage * bytes);
            wgmma_wait<0>(s);
            if (lead)
                mbarrier_arrive(&b.K_empty[k.stage]);
            k.next();
            float scale = q_scale * k_scale[0];
            mask<Bc>(s, p, scale, i, 0);
            softmax(s, rows, alpha, scale, UP);
            pack_e4m3(P, s);
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
        alpha[0] = alpha[1] = unit;
        rescale(o, alpha);
        rows.m[0] -= UP;
        rows.m[1] -= UP;
        finish_rows<D>(p, w.head, i, o, rows);
    }
}
/* ANCHOR_END: consume */

/* ANCHOR: kernel */
template <class R>
static __global__ void __launch_bounds__(R::threads, 1)
    flash2_hopper_fp8(rung_problem p, fp8_arrays a,
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
        consume<R>(p, a, at, b);
    }
}
/* ANCHOR_END: kernel */

template <int D> static int quantise_all(const rung_problem *p)
{
    auto *queries = quantise_e4m3<D, FP8_QUERIES, false>;
    auto *keys = quantise_e4m3<D, FP8_KEYS, false>;
    auto *values = quantise_e4m3<D, FP8_KEYS, true>;
    const bf16 *Q = (const bf16 *)p->Q, *K = (const bf16 *)p->K;
    const bf16 *V = (const bf16 *)p->V;
    const int T = quantise_threads, seen = fp8_seen(p);
    fp8_arrays a = fp8_in(p);
    dim3 q(a.q_blocks, p->heads);
    dim3 k((seen + FP8_KEYS - 1) / FP8_KEYS, p->heads / p->group);

    if (p->type != BF16)
        return cudaErrorInvalidValue;
    queries<<<q, T>>>(Q, p->Nq, p->Nq, a.Q, p->Nq, a.q, a.q_blocks);
    if (seen > 0) {
        keys<<<k, T>>>(K, p->Nk, seen, a.K, a.keys, a.k, a.k_blocks);
        values<<<k, T>>>(V, p->Nk, seen, a.V, a.keys, a.v, a.k_blocks);
    }
    return cudaGetLastError();
}

int fp8_quantise(const rung_problem *p)
{
    return for_D<64, 128>(p, [=](auto D) { return quantise_all<D>(p); });
}

int fp8_attend(const rung_problem *p)
{
    return for_D<64, 128>(p, [=](auto D) {
        typedef fp8_roles<D> R;
        static cached<tensor_launch> with;
        int error = prepare<R>(flash2_hopper_fp8<R>, p, &with);

        if (!error)
            flash2_hopper_fp8<R><<<with.blocks, R::threads, R::smem>>>(
                *p, fp8_in(p), with.maps);
        return error ? error : (int)cudaGetLastError();
    });
}

int rung_fp8(const rung_problem *p)
{
    int error = fp8_quantise(p);

    return error ? error : fp8_attend(p);
}
