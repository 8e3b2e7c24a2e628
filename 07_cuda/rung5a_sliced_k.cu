/*
 * Rung 5a: tensor cores, sliced-K: to each warp a slice of the keys.
 *
 * Changed since rung 4: the elements have 16 bits, and a warp multiplies 16 x
 * 16 by 16 x 8 in one instruction, mma.sync. All four warps of a block share
 * its 64 queries, as in FlashAttention: of each tile of 64 keys a warp takes
 * 16. So each has its own maxima of a row and its own part of P V, and they
 * meet in shared memory, with barriers before and after, for every tile: the
 * maxima first; then the four parts of O, 32 columns at a time (registers
 * hold no more), which the warp whose rows they are adds up.
 *
 * FlashAttention-2, arXiv 2307.08691, section 3.3, on its predecessor.
 * docs/07_cuda.md
 */
#include "mma.cuh"

static const int threads = 128, Br = 64, Bc = 64, Warps = 4;
static const int Part = 32, Stride = Part + 8; /* of O; padded for the banks */

/* What lies in shared memory. */
template <class T, int D> struct shared {
    T Q[Br * D], K[Bc * D], V[Bc * D];
    float part[Warps][Br][Stride], of_warp[Warps][Br];
};

extern __shared__ uint4 smem[];

/* Over the four warps, of row i. */
static inline __device__ float max_of_warps(const float (*of_warp)[Br], int i)
{
    return fmaxf(fmaxf(of_warp[0][i], of_warp[1][i]),
                 fmaxf(of_warp[2][i], of_warp[3][i]));
}

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads) sliced_k(rung_problem p)
{
    shared<T, D> &on = *(shared<T, D> *)smem;
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int warp = threadIdx.x / 32, slice = 16 * warp, own = 16 * warp + g;
    int i0 = blockIdx.x * Br, seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    /* m, l: of all 64 rows, l over the slice; o, m_own: of this warp's 16. */
    float m[Br / 16][2], l[Br / 16][2] = {}, l_own[2] = {};
    float o[D / 8][4] = {}, m_own[2] = {-INFINITY, -INFINITY};

    for (int i = 0; i < Br / 16; i++)
        m[i][0] = m[i][1] = -INFINITY;
    copy_rows<T, D>(on.Q, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        /* load */
        copy_rows<T, D>(on.K, h.K + (size_t)j0 * D, Bc, seen - j0, threads);
        copy_rows<T, D>(on.V, h.V + (size_t)j0 * D, Bc, seen - j0, threads);
        __syncthreads();
        /* scores */
        float s[Br / 16][2][4] = {};
        for (int k = 0; k < D / 16; k++)
            for (int i = 0; i < Br / 16; i++) {
                const T *q = &on.Q[(16 * i + g) * D + 16 * k + 2 * t];
                unsigned a[4] = {pair(q), pair(q + 8 * D), pair(q + 8),
                                 pair(q + 8 * D + 8)};

                for (int n = 0; n < 2; n++) {
                    const T *key = &on.K[(slice + 8 * n + g) * D];
                    const T *at = key + 16 * k + 2 * t;
                    unsigned b[2] = {pair(at), pair(at + 8)};

                    mma(T(), s[i][n], a, b);
                }
            }
        /* update */
        for (int i = 0; i < Br / 16; i++)
            for (int r = 0; r < 2; r++) {
                int row = 16 * i + g + 8 * r;
                int limit = keys_seen(p, i0 + row) - j0 - slice;
                float top = -INFINITY;

                for (int e = 0; e < 4; e++) {
                    float *x = &s[i][e / 2][2 * r + e % 2];
                    bool attended = 8 * (e / 2) + 2 * t + e % 2 < limit;

                    *x = attended ? p.scale * *x : -INFINITY;
                    top = fmaxf(top, *x);
                }
                top = max_of_lanes<4>(top);
                if (t == 0)
                    on.of_warp[warp][row] = top;
            }
        __syncthreads();
        for (int i = 0; i < Br / 16; i++)
            for (int r = 0; r < 2; r++) {
                float m_prev = m[i][r];

                m[i][r] =
                    fmaxf(m_prev, max_of_warps(on.of_warp, 16 * i + g + 8 * r));
                l[i][r] *= exp_minus(m_prev, m[i][r]);
                for (int e = 0; e < 4; e++) {
                    float *x = &s[i][e / 2][2 * r + e % 2];

                    l[i][r] += *x = exp_minus(*x, m[i][r]);
                }
            }
        for (int r = 0; r < 2; r++) {
            float m_prev = m_own[r];

            m_own[r] = fmaxf(m_prev, max_of_warps(on.of_warp, own + 8 * r));
            for (int n = 0; n < D / 8; n++)
                for (int e = 2 * r; e < 2 * r + 2; e++)
                    o[n][e] *= exp_minus(m_prev, m_own[r]);
        }
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
            for (int from = 0; from < Warps; from++)
                for (int n = 0; n < Part / 8; n++)
                    for (int r = 0; r < 2; r++) {
                        float2 pv =
                            *(const float2 *)&on
                                 .part[from][own + 8 * r][8 * n + 2 * t];

                        o[c / 8 + n][2 * r] += pv.x;
                        o[c / 8 + n][2 * r + 1] += pv.y;
                    }
            __syncthreads();
        }
    }
    /* finish */
    for (int i = 0; i < Br / 16; i++)
        for (int r = 0; r < 2; r++) {
            float sum = sum_of_lanes<4>(l[i][r]);

            if (t == 0)
                on.of_warp[warp][16 * i + g + 8 * r] = sum;
        }
    __syncthreads();
    for (int from = 0; from < Warps; from++)
        for (int r = 0; r < 2; r++)
            l_own[r] += on.of_warp[from][own + 8 * r];
    store_rows<T, D>(p, h, i0 + own, o, m_own, l_own);
}
/* ANCHOR_END: kernel */

template <class T, int D> static int start(const rung_problem *p)
{
    int bytes = sizeof(shared<T, D>), tiles = (p->Nq + Br - 1) / Br;
    cudaError_t error = cudaFuncSetAttribute(
        sliced_k<T, D>, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);

    if (error)
        return error;
    sliced_k<T, D><<<dim3(tiles, p->heads), threads, bytes>>>(*p);
    return cudaGetLastError();
}

int rung_sliced_k(const rung_problem *p)
{
    if (p->type == BF16)
        return p->D == 64 ? start<bf16, 64>(p) : start<bf16, 128>(p);
    return p->D == 64 ? start<fp16, 64>(p) : start<fp16, 128>(p);
}
