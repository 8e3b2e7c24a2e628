/*
 * Rung 6b: the next tile is copied during the products of this tile.
 *
 * Changed since rung 6a: shared memory has two buffers for K and two for V.
 * cp.async copies global to shared memory in the background, without using
 * registers. One barrier per tile is enough: after the barrier this tile is
 * complete, and no thread uses the previous tile any more.
 *
 * docs/07_cuda.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/swizzle.cuh"

static const int threads = 128, Br = 64, Bc = 64;

extern __shared__ uint4 smem[];

/* ANCHOR: kernel */
/* Starts the copies of Bc rows of K and V. Rows from `seen` on become 0. */
template <class T, int D>
static __device__ void start_tile(T *to, const one_head<T> &h, int j0, int seen)
{
    copy_async<D>(to, h.K + (size_t)j0 * D, Bc, seen - j0, threads);
    copy_async<D>(to + Bc * D, h.V + (size_t)j0 * D, Bc, seen - j0, threads);
    cp_async_commit();
}

template <class T, int D>
static __global__ void __launch_bounds__(threads)
    flash2_tensor_core_cp_async(rung_problem p)
{
    T *tiles = (T *)smem; /* two buffers, each with K and V of a tile */
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int i0 = blockIdx.x * Br;
    int i = i0 + threadIdx.x / 32 * 16 + g; /* the thread has rows i, i + 8 */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    unsigned q[D / 16][4];
    float o[D / 8][4] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};

    copy_swizzled<D>(tiles, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    __syncthreads();
    for (int k = 0; k < D / 16; k++)
        load_q<D>(q[k], tiles, threadIdx.x / 32 * 16, k);
    __syncthreads();
    if (seen > 0)
        start_tile<T, D>(tiles, h, 0, seen);
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        T *K = tiles + j0 / Bc % 2 * (2 * Bc * D), *V = K + Bc * D;
        T *next = tiles + (j0 / Bc + 1) % 2 * (2 * Bc * D);

        /* load */
        cp_async_wait<0>();
        __syncthreads();
        if (j0 + Bc < seen)
            start_tile<T, D>(next, h, j0 + Bc, seen);
        /* scores */
        float s[Bc / 8][4] = {};
        for (int k = 0; k < D / 16; k++)
            for (int n = 0; n < Bc / 8; n += 2) {
                unsigned b[4];

                load_k<D>(b, K, 8 * n, k);
                mma(T(), s[n], q[k], b);
                mma(T(), s[n + 1], q[k], b + 2);
            }
        /* update */
        for (int r = 0; r < 2; r++) {
            int limit = keys_seen(p, i + 8 * r) - j0;
            float m_new = m[r];

            for (int n = 0; n < Bc / 8; n++)
                for (int e = 2 * r; e < 2 * r + 2; e++) {
                    bool attended = 8 * n + 2 * t + e % 2 < limit;

                    s[n][e] = attended ? p.scale * s[n][e] : -INFINITY;
                    m_new = fmaxf(m_new, s[n][e]);
                }
            m_new = max_of_lanes<4>(m_new);
            float alpha = exp_minus(m[r], m_new);
            m[r] = m_new;
            l[r] *= alpha;
            for (int n = 0; n < Bc / 8; n++)
                for (int e = 2 * r; e < 2 * r + 2; e++)
                    l[r] += s[n][e] = exp_minus(s[n][e], m_new);
            for (int n = 0; n < D / 8; n++)
                for (int e = 2 * r; e < 2 * r + 2; e++)
                    o[n][e] *= alpha;
        }
        for (int k = 0; k < Bc / 16; k++) {
            unsigned w[4];

            weights_of(T(), w, s[2 * k], s[2 * k + 1]);
            for (int n = 0; n < D / 8; n += 2) {
                unsigned b[4];

                load_v<D>(b, V, 16 * k, n);
                mma(T(), o[n], w, b);
                mma(T(), o[n + 1], w, b + 2);
            }
        }
    }
    /* finish */
    for (int r = 0; r < 2; r++)
        l[r] = sum_of_lanes<4>(l[r]);
    store_rows<T, D>(p, h, i, o, m, l);
}
/* ANCHOR_END: kernel */

int rung_cp_async(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        const int bytes = 4 * Bc * D * 2;
        dim3 grid = grid_of(p, Br);
        int error = allow_once<flash2_tensor_core_cp_async<T, D>>(p, bytes);

        if (!error)
            flash2_tensor_core_cp_async<T, D><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
