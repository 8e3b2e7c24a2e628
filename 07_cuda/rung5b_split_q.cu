/*
 * Rung 5b: tensor cores with split-Q. Each warp has its own queries.
 *
 * Changed since rung 5a: a warp takes 16 of the block's 64 queries and all
 * keys, so the warps combine no partial results in shared memory. The lane that
 * computes a weight is the lane that needs it in the second product, so P stays
 * in registers.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.3. docs/07_cuda.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/mma.cuh"

static const int threads = 128, Br = 64, Bc = 64;

extern __shared__ uint4 smem[];

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads)
    flash2_tensor_core_split_q(rung_problem p)
{
    T *K = (T *)smem, *V = K + Bc * D;
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int i0 = blockIdx.x * Br;
    int i = i0 + threadIdx.x / 32 * 16 + g; /* the thread has rows i, i + 8 */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    unsigned q[D / 16][4];
    float o[D / 8][4] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};

    for (int k = 0; k < D / 16; k++)
        for (int n = 0; n < 4; n++) {
            int row = i + n % 2 * 8, column = 16 * k + n / 2 * 8 + 2 * t;

            q[k][n] = row < p.Nq ? pair(&h.Q[(size_t)row * D + column]) : 0;
        }
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        /* load */
        __syncthreads();
        copy_rows<T, D>(K, h.K + (size_t)j0 * D, Bc, seen - j0, threads);
        copy_rows<T, D>(V, h.V + (size_t)j0 * D, Bc, seen - j0, threads);
        __syncthreads();
        /* scores */
        float s[Bc / 8][4] = {};
        for (int k = 0; k < D / 16; k++)
            for (int n = 0; n < Bc / 8; n++) {
                const T *key = &K[(8 * n + g) * D + 16 * k + 2 * t];
                unsigned b[2] = {pair(key), pair(key + 8)};

                mma(T(), s[n], q[k], b);
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
            for (int n = 0; n < D / 8; n++) {
                const T *v = &V[(16 * k + 2 * t) * D + 8 * n + g];
                unsigned b[2] = {pair(v, v + D), pair(v + 8 * D, v + 9 * D)};

                mma(T(), o[n], w, b);
            }
        }
    }
    /* finish */
    for (int r = 0; r < 2; r++)
        l[r] = sum_of_lanes<4>(l[r]);
    store_rows<T, D>(p, h, i, o, m, l);
}
/* ANCHOR_END: kernel */

int rung_split_q(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        const int bytes = 2 * Bc * D * 2;
        dim3 grid = grid_of(p, Br);
        int error = allow_once<flash2_tensor_core_split_q<T, D>>(p, bytes);

        if (!error)
            flash2_tensor_core_split_q<T, D><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
