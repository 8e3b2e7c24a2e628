/*
 * Rung 4: a warp computes 32 rows. Each lane has a tile of S and of O.
 *
 * Changed since rung 3: each float4 from shared memory is used more than once.
 * The lanes of a warp form a grid of 4 x 8. A lane computes the scores of 8
 * queries and 4 keys: it loads 12 float4s for 128 multiplications (rung 3: 1
 * float4 for 4). It also computes D / 8 columns of O for the same 8 queries.
 * Shuffles move weights between the 8 lanes with the same queries.
 *
 * docs/07_cuda.md
 */
#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/launch.cuh"

static const int threads = 128, Br = 128, Bc = 32;
static const int Rows = 8, Keys = 4; /* of a lane's tile of S */

/* row: float4s in a row of Q or V. padded: float4s in a row of K. */
template <int D> struct width {
    static const int row = D / 4, padded = D / 4 + 1;
    static const int bytes = ((Br + Bc) * row + Bc * padded) * 16;
};

extern __shared__ float4 smem[];

/* ANCHOR: kernel */
template <int D>
static __global__ void __launch_bounds__(threads)
    flash2_warp_tiles(rung_problem p)
{
    const int W = width<D>::row, Padded = width<D>::padded, Own = D / 32;
    float4 *Q = smem, *V = Q + Br * W, *K = V + Bc * W;
    one_head<float4> h = head_of<float4>(p, blockIdx.y);
    int t = threadIdx.x, lane = t % 32, across = lane % 8;
    int i0 = blockIdx.x * Br;
    int row = t / 32 * 32 + lane / 8; /* the lane has rows row + 4 i */
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    float4 o[Rows][Own] = {};
    float m[Rows], l[Rows] = {};

    for (int i = 0; i < Rows; i++)
        m[i] = -INFINITY;
    for (int e = t; e < Br * W; e += threads)
        Q[e] = i0 + e / W < p.Nq ? h.Q[(size_t)i0 * W + e] : float4();
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        /* load */
        __syncthreads();
        for (int e = t; e < Bc * W; e += threads) {
            bool here = j0 + e / W < seen;

            K[e / W * Padded + e % W] =
                here ? h.K[(size_t)j0 * W + e] : float4();
            V[e] = here ? h.V[(size_t)j0 * W + e] : float4();
        }
        __syncthreads();
        /* scores */
        float s[Rows][Keys] = {};
#pragma unroll 4
        for (int c = 0; c < W; c++) {
            float4 k[Keys];

            for (int j = 0; j < Keys; j++)
                k[j] = K[(across + 8 * j) * Padded + c];
            for (int i = 0; i < Rows; i++) {
                float4 q = Q[(row + 4 * i) * W + c];

                for (int j = 0; j < Keys; j++)
                    s[i][j] += dot(q, k[j]);
            }
        }
        /* update */
        for (int i = 0; i < Rows; i++) {
            int limit = keys_seen(p, i0 + row + 4 * i);
            float m_new = m[i];

            for (int j = 0; j < Keys; j++) {
                bool attended = j0 + across + 8 * j < limit;

                s[i][j] = attended ? p.scale * s[i][j] : -INFINITY;
                m_new = fmaxf(m_new, s[i][j]);
            }
            m_new = max_of_lanes<8>(m_new);
            float alpha = exp_minus(m[i], m_new);
            m[i] = m_new;
            l[i] *= alpha;
            for (int j = 0; j < Keys; j++)
                l[i] += s[i][j] = exp_minus(s[i][j], m_new);
            for (int c = 0; c < Own; c++)
                rescale(o[i][c], alpha);
        }
#pragma unroll
        for (int j = 0; j < Keys; j++)
#pragma unroll 2
            for (int other = 0; other < 8; other++) {
                float4 v[Own];

                for (int c = 0; c < Own; c++)
                    v[c] = V[(other + 8 * j) * W + across + 8 * c];
                for (int i = 0; i < Rows; i++) {
                    float p_ij = __shfl_sync(~0u, s[i][j], other, 8);

                    for (int c = 0; c < Own; c++)
                        axpy(o[i][c], p_ij, v[c]);
                }
            }
    }
    /* finish */
    for (int i = 0; i < Rows; i++) {
        int query = i0 + row + 4 * i;
        float sum = sum_of_lanes<8>(l[i]);

        if (query >= p.Nq)
            continue;
        for (int c = 0; c < Own; c++) {
            rescale(o[i][c], inverse(sum));
            h.O[(size_t)query * W + across + 8 * c] = o[i][c];
        }
        if (across == 0)
            h.L[query] = m[i] + logf(sum);
    }
}
/* ANCHOR_END: kernel */

int rung_warp_tiles(const rung_problem *p)
{
    return for_D<32, 64, 128>(p, [=](auto D) {
        int bytes = width<D>::bytes,
            error = allow_once<flash2_warp_tiles<D>>(p, bytes);

        if (!error)
            flash2_warp_tiles<D><<<grid_of(p, Br), threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
