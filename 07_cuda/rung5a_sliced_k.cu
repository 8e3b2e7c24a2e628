/*
 * Rung 5a: tensor cores with sliced-K. Each warp takes a slice of the keys.
 *
 * Changed since rung 4: elements have 16 bits, and a warp multiplies a 16 x 16
 * by a 16 x 8 matrix in one instruction, mma.sync. All four warps of a block
 * have the same 64 queries, and each warp takes 16 of a tile's 64 keys. For
 * every tile the warps combine their maxima and sums, and their parts of P V,
 * in shared memory: 32 columns of P V at a time, to save shared memory.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.3. docs/07_cuda.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/mma.cuh"

static const int threads = 128, Br = 64, Bc = 64, Warps = 4;
static const int Part = 32;         /* columns of P V to combine at a time */
static const int Stride = Part + 8; /* padded against bank conflicts */

template <class T, int D> struct shared {
    T Q[Br * D], K[Bc * D], V[Bc * D];
    float part[Warps][Br][Stride]; /* Part columns of a warp's P V */
    float top[Warps][Br];          /* a row's maximum in a warp's slice */
    float sum[Warps][Br];          /* a row's sum of weights in a slice */
    float m[Br];                   /* a row's maximum of all tiles so far */
};

extern __shared__ uint4 smem[];

/* Return the maximum and the sum of the four warps' numbers for a row. */
static inline __device__ float largest(const float (*of)[Br], int row)
{
    return fmaxf(fmaxf(of[0][row], of[1][row]), fmaxf(of[2][row], of[3][row]));
}

static inline __device__ float total(const float (*of)[Br], int row)
{
    return of[0][row] + of[1][row] + of[2][row] + of[3][row];
}

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads)
    flash2_tensor_core_sliced_k(rung_problem p)
{
    shared<T, D> &on = *(shared<T, D> *)smem;
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int warp = threadIdx.x / 32, slice = 16 * warp, own = 16 * warp + g;
    int i0 = blockIdx.x * Br, seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    float o[D / 8][4] = {}, m[2] = {-INFINITY, -INFINITY}, l[2] = {};

    if (t == 0)
        on.m[own] = on.m[own + 8] = -INFINITY;
    copy_rows<T, D>(on.Q, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        /* load */
        copy_rows<T, D>(on.K, h.K + (size_t)j0 * D, Bc, seen - j0, threads);
        copy_rows<T, D>(on.V, h.V + (size_t)j0 * D, Bc, seen - j0, threads);
        __syncthreads();
        /* scores */
        float s[Br / 16][2][4] = {}; /* of all rows and the warp's slice */
        for (int k = 0; k < D / 16; k++)
            for (int i = 0; i < Br / 16; i++) {
                const T *q = &on.Q[(16 * i + g) * D + 16 * k + 2 * t];
                unsigned a[4] = {pair(q), pair(q + 8 * D), pair(q + 8),
                                 pair(q + 8 * D + 8)};

                for (int n = 0; n < 2; n++) {
                    int key = slice + 8 * n + g;
                    const T *at = &on.K[key * D + 16 * k + 2 * t];
                    unsigned b[2] = {pair(at), pair(at + 8)};

                    mma(T(), s[i][n], a, b);
                }
            }
        for (int k = 0; k < Br / 8; k++) {
            int row = 8 * k + g;
            int limit = keys_seen(p, i0 + row) - j0 - slice;
            float top = -INFINITY;

            for (int e = 0; e < 4; e++) {
                float &x = s[k / 2][e / 2][k % 2 * 2 + e % 2];
                bool attended = 8 * (e / 2) + 2 * t + e % 2 < limit;

                x = attended ? p.scale * x : -INFINITY;
                top = fmaxf(top, x);
            }
            top = max_of_lanes<4>(top);
            if (t == 0)
                on.top[warp][row] = top;
        }
        __syncthreads();
        /* update */
        for (int k = 0; k < Br / 8; k++) {
            int row = 8 * k + g;
            float m_new = fmaxf(on.m[row], largest(on.top, row)), sum = 0;

            for (int e = 0; e < 4; e++) {
                float &x = s[k / 2][e / 2][k % 2 * 2 + e % 2];

                sum += x = exp_minus(x, m_new);
            }
            sum = sum_of_lanes<4>(sum);
            if (t == 0)
                on.sum[warp][row] = sum;
        }
#pragma unroll
        for (int c = 0; c < D; c += Part) {
            for (int n = 0; n < Part / 8; n++) {
                const T *v = &on.V[(slice + 2 * t) * D + c + 8 * n + g];
                unsigned b[2] = {pair(v, v + D), pair(v + 8 * D, v + 9 * D)};

                for (int i = 0; i < Br / 16; i++) {
                    unsigned w[4];
                    float pv[4] = {};
                    float *to = &on.part[warp][16 * i + g][8 * n + 2 * t];

                    weights_of(T(), w, s[i][0], s[i][1]);
                    mma(T(), pv, w, b);
                    *(float2 *)to = make_float2(pv[0], pv[1]);
                    *(float2 *)(to + 8 * Stride) = make_float2(pv[2], pv[3]);
                }
            }
            __syncthreads();
            for (int r = 0; r < 2; r++) {
                int row = own + 8 * r;

                if (c == 0) {
                    float m_new = fmaxf(m[r], largest(on.top, row));
                    float alpha = exp_minus(m[r], m_new);

                    m[r] = m_new;
                    l[r] = alpha * l[r] + total(on.sum, row);
                    if (t == 0)
                        on.m[row] = m_new;
                    for (int n = 0; n < D / 8; n++)
                        for (int e = 2 * r; e < 2 * r + 2; e++)
                            o[n][e] *= alpha;
                }
                for (int from = 0; from < Warps; from++)
                    for (int n = 0; n < Part / 8; n++) {
                        float *pv = &on.part[from][row][8 * n + 2 * t];

                        o[c / 8 + n][2 * r] += pv[0];
                        o[c / 8 + n][2 * r + 1] += pv[1];
                    }
            }
            __syncthreads();
        }
    }
    /* finish */
    store_rows<T, D>(p, h, i0 + own, o, m, l);
}
/* ANCHOR_END: kernel */

int rung_sliced_k(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        const int bytes = (int)sizeof(shared<T, D>);
        dim3 grid = grid_of(p, Br);
        int error = allow_once<flash2_tensor_core_sliced_k<T, D>>(p, bytes);

        if (!error)
            flash2_tensor_core_sliced_k<T, D><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
