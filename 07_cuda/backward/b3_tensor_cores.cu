/*
 * Backward rung 3: tensor cores. Each warp has its own 16 keys.
 *
 * Changed since backward rung 1: mma.sync computes the five products, and S and
 * dP are transposed. So the result of a product has the layout that the next
 * product needs, as S has for P V in the forward pass (rung 5b):
 *
 *     S^T = K Q^T    P^T = e^{S^T - L}    dP^T = V dO^T
 *     dS^T = P^T o (dP^T - D)             dV += P^T dO     dK += dS^T Q
 *
 * (o is the elementwise product.) Only dQ = dS K needs dS without the
 * transposition. So dS^T is stored in shared memory, and ldmatrix transposes
 * it. dQ is summed in fp32 by atomics, and a third kernel rounds dQ.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.3. docs/07_cuda.md
 */
#include "07_cuda/backward/round.cuh"
#include "07_cuda/backward/rows.cuh"
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/swizzle.cuh"

static const int threads = 256, Bc = 128;

/* Br: queries of a tile; smem fits in the 99 KiB that a GeForce GPU allows. At:
 * queries whose S and dP are in registers at the same time. */
template <int D> struct sizes {
    static const int Br = D < 128 ? 128 : 32, At = D < 128 ? 64 : 32;
    static const int smem = (2 * Bc * D + 2 * Br * D + Bc * Br) * 2;
};

extern __shared__ uint4 smem[];

/* c += A B^T for 16 rows of A from `row` on and n rows of B. */
template <int D, class T, int n>
static __device__ void multiply_rows(float (&c)[n / 8][4], const T *A, int row,
                                     const T *B)
{
    for (int k = 0; k < D / 16; k++) {
        unsigned a[4];

        load_q<D>(a, A, row, k);
        for (int j = 0; j < n / 8; j += 2) {
            unsigned b[4];

            load_k<D>(b, B, 8 * j, k);
            mma(T(), c[j], a, b);
            mma(T(), c[j + 1], a, b + 2);
        }
    }
}

/* c += a B for 16 rows of B from `row` on. */
template <int D, class T>
static __device__ void multiply_columns(float (&c)[D / 8][4], const unsigned *a,
                                        const T *B, int row)
{
    for (int n = 0; n < D / 8; n += 2) {
        unsigned b[4];

        load_v<D>(b, B, row, n);
        mma(T(), c[n], a, b);
        mma(T(), c[n + 1], a, b + 2);
    }
}

/* Stores 16 keys x 16 queries of dS^T from a warp's registers z: chunks `chunk`
 * and chunk + 1 of rows key and key + 8. */
template <int Br, class T>
static __device__ void store_transposed(T *dS, int key, int chunk, int t,
                                        const unsigned *z)
{
    for (int r = 0; r < 4; r++)
        *(unsigned *)&dS[swizzled<Br>(key + r % 2 * 8, chunk + r / 2) + 2 * t] =
            z[r];
}

/* Loads operand A of dS K, transposed: 16 queries x 16 keys. */
template <int Br, class T>
static __device__ void load_transposed(unsigned *a, const T *dS, int key,
                                       int query)
{
    int lane = threadIdx.x % 32, i = lane / 8; /* matrix i of four, 8 x 8 */

    ldmatrix_x4_trans(
        a, &dS[swizzled<Br>(key + lane % 8 + i / 2 * 8, query / 8 + i % 2)]);
}

/* ANCHOR: dq */
/* dQ_sum += dS K in HBM, for the first `here` queries of the tile. A warp has
 * 16 queries and D Br / Bc columns: all if Br is 128, a quarter if it is 32. */
template <class T, int D>
static __device__ void add_dQ(float *dQ_sum, const T *dS, const T *K, int here)
{
    const int Br = sizes<D>::Br, Columns = D * Br / Bc;
    int warp = threadIdx.x / 32, own = warp % (Br / 16) * 16;
    int first = warp / (Br / 16) * Columns;
    int g = threadIdx.x % 32 / 4, t = threadIdx.x % 4;
    unsigned a[Bc / 16][4];

    for (int c = 0; c < Bc / 16; c++)
        load_transposed<Br>(a[c], dS, 16 * c, own);
#pragma unroll
    for (int n = first / 8; n < (first + Columns) / 8; n += 2) {
        float dq[2][4] = {};

        for (int c = 0; c < Bc / 16; c++) {
            unsigned b[4];

            load_v<D>(b, K, 16 * c, n);
            mma(T(), dq[0], a[c], b);
            mma(T(), dq[1], a[c], b + 2);
        }
        for (int e = 0; e < 8; e++) {
            int i = own + g + e % 4 / 2 * 8;
            int column = 8 * (n + e / 4) + 2 * t + e % 2;

            if (i < here)
                atomicAdd(&dQ_sum[i * D + column], dq[e / 4][e % 4]);
        }
    }
}
/* ANCHOR_END: dq */

template <class T, int D>
static __device__ void store_gradient(T *to, int j, int Nk, float scale,
                                      const float (&x)[D / 8][4])
{
    int t = threadIdx.x % 4;

    for (int r = 0; r < 2; r++)
        for (int n = 0; n < D / 8 && j + 8 * r < Nk; n++)
            *(unsigned *)&to[(size_t)(j + 8 * r) * D + 8 * n + 2 * t] =
                pack(T(), scale * x[n][2 * r], scale * x[n][2 * r + 1]);
}

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads)
    flash2_backward_tensor_cores(gradient_problem p)
{
    const int Br = sizes<D>::Br, At = sizes<D>::At;
    T *K = (T *)smem, *V = K + Bc * D, *Q = V + Bc * D, *dO = Q + Br * D;
    T *dS = dO + Br * D; /* transposed: a row is a key */
    __shared__ float L[Br], dots[Br];
    const rung_problem &f = p.forward;
    const float log2e = 1.4426950408889634f, c2 = f.scale * log2e;
    key_head<T> h = keys_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int own = threadIdx.x / 32 * 16; /* the first of the warp's 16 keys */
    int j0 = blockIdx.x * Bc, j = j0 + own + g; /* the thread has j, j + 8 */
    float dk[D / 8][4] = {}, dv[D / 8][4] = {};

    copy_swizzled<D>(K, h.K + (size_t)j0 * D, Bc, f.Nk - j0, threads);
    copy_swizzled<D>(V, h.V + (size_t)j0 * D, Bc, f.Nk - j0, threads);
    for (int n = 0; n < f.group; n++) {
        query_head<T> q = queries_of<T>(p, blockIdx.y * f.group + n);

        for (int i0 = first_tile(f, j0, Br); i0 < f.Nq; i0 += Br) {
            int here = min(Br, f.Nq - i0);

            /* load */
            copy_swizzled<D>(Q, q.Q + (size_t)i0 * D, Br, here, threads);
            copy_swizzled<D>(dO, q.dO + (size_t)i0 * D, Br, here, threads);
            if (threadIdx.x < Br) {
                bool is = (int)threadIdx.x < here;

                L[threadIdx.x] = is ? log2e * q.L[i0 + threadIdx.x] : 0;
                dots[threadIdx.x] = is ? q.D[i0 + threadIdx.x] : 0;
            }
            __syncthreads(); /* all threads have also read the previous dS */
#pragma unroll 1 /* if unrolled, S and dP of all i1 would be in registers */
            for (int i1 = 0; i1 < Br; i1 += At) {
                /* scores */
                float s[At / 8][4] = {}, dp[At / 8][4] = {};
                multiply_rows<D, T, At>(s, K, own, Q + i1 * D);
                multiply_rows<D, T, At>(dp, V, own, dO + i1 * D);
                /* update */
#pragma unroll
                for (int e = 0; e < At / 8 * 4; e++) {
                    float &w = s[e / 4][e % 4], &ds = dp[e / 4][e % 4];
                    int i = i1 + e / 4 * 8 + 2 * t + e % 2;
                    int key = j + e % 4 / 2 * 8;
                    bool sees = i < here && key < keys_seen(f, i0 + i);

                    w = sees ? exp2_approx(w * c2 - L[i]) : 0;
                    ds = w == 0 ? 0 : w * (ds - dots[i]);
                }
#pragma unroll
                for (int c = 0; c < At / 16; c++) {
                    unsigned P[4], z[4];

                    weights_of(T(), P, s[2 * c], s[2 * c + 1]);
                    weights_of(T(), z, dp[2 * c], dp[2 * c + 1]);
                    multiply_columns<D>(dv, P, dO, i1 + 16 * c);
                    multiply_columns<D>(dk, z, Q, i1 + 16 * c);
                    store_transposed<Br>(dS, own + g, i1 / 8 + 2 * c, t, z);
                }
            }
            __syncthreads(); /* dS of all keys of the block is stored */
            add_dQ<T, D>(&q.dQ_sum[(size_t)i0 * D], dS, K, here);
        }
    }
    /* finish */
    store_gradient<T, D>(h.dK, j, f.Nk, f.scale, dk);
    store_gradient<T, D>(h.dV, j, f.Nk, 1, dv);
}
/* ANCHOR_END: kernel */

int backward_tensor_cores(const gradient_problem *p)
{
    const rung_problem &f = p->forward;

    return for_D<32, 64, 128>(&f, [=](auto D) {
        unsigned blocks = blocks_for_D<bf16, D>(f, threads);
        dim3 tiles((f.Nk + Bc - 1) / Bc, f.heads / f.group);
        int error = clear_dQ_sum(p), bytes = sizes<D>::smem;

        if (!error)
            error =
                allow_once<flash2_backward_tensor_cores<bf16, D>>(&f, bytes);
        if (error)
            return error;
        flash2_backward_rows_of_D<bf16, D><<<blocks, threads>>>(*p);
        flash2_backward_tensor_cores<bf16, D><<<tiles, threads, bytes>>>(*p);
        flash2_backward_round_dQ<<<blocks_to_round(f, threads), threads>>>(*p);
        return (int)cudaGetLastError();
    });
}
