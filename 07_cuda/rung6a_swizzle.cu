/*
 * Rung 6a: ldmatrix and the XOR swizzle.
 *
 * Changed since rung 5b: ldmatrix loads the operands of mma.sync, four 8 x 8
 * matrices in one instruction. The place of a 16-byte chunk within its row
 * depends on the row's number (swizzle.cuh). So the chunks that ldmatrix reads
 * at once are in different banks.
 *
 * docs/07_cuda.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/swizzle.cuh"

static const int threads = 128, Br = 64, Bc = 64;

extern __shared__ uint4 smem[];

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads)
    flash2_tensor_core_swizzle(rung_problem p)
{
    T *K = (T *)smem, *V = K + Bc * D;
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int i0 = blockIdx.x * Br;
    int i = i0 + threadIdx.x / 32 * 16 + g; /* the thread has rows i, i + 8 */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    unsigned q[D / 16][4];
    float o[D / 8][4] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};

    copy_swizzled<D>(K, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    __syncthreads();
    for (int k = 0; k < D / 16; k++)
        load_q<D>(q[k], K, threadIdx.x / 32 * 16, k);
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        /* load */
        __syncthreads();
        copy_swizzled<D>(K, h.K + (size_t)j0 * D, Bc, seen - j0, threads);
        copy_swizzled<D>(V, h.V + (size_t)j0 * D, Bc, seen - j0, threads);
        __syncthreads();
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

int rung_swizzle(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        const int bytes = 2 * Bc * D * 2;
        dim3 grid = grid_of(p, Br);
        int error = allow_once<flash2_tensor_core_swizzle<T, D>>(p, bytes);

        if (!error)
            flash2_tensor_core_swizzle<T, D><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
