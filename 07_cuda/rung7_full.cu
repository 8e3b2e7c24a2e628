/*
 * Rung 7: FlashAttention-2 with all its optimisations.
 *
 * Changed since rung 6b: five optimisations, and the buffers at large D.
 * bench/full_without.h has this rung without each of the five.
 *
 *   rows_32       Below D = 256 a warp has 32 queries, so each fragment of K
 *                 and V that ldmatrix loads is used in two multiplications. At
 *                 D = 128 the registers then have space for S of only 32 keys,
 *                 and Q stays in shared memory.
 *   exp2          e^{scale (s - m)} is computed as 2^{c s - c m} with
 *                 c = scale log2 e. So a weight takes one fused multiply-add
 *                 and the GPU's instruction for 2^x. c m is the maximum of all
 *                 c s only for c > 0. So c has |scale|, and s the scale's sign.
 *   edges         A warp masks a tile only if one of its queries does not see
 *                 all keys of the tile.
 *   skip          The block does not load tiles beyond the causal limit of its
 *                 last query. A warp also skips tiles beyond the limit of the
 *                 warp's last query.
 *   longest       The blocks with the most keys start first, so the blocks that
 *                 end last are short.
 *
 * If Q stays in shared memory, K and V have one buffer each, so that an RTX 30
 * or 40 runs two blocks on a multiprocessor at D = 128. V of a tile is copied
 * during Q K^T, and K of the next tile during the softmax and P V. This takes a
 * second barrier per tile.
 *
 * In the loop, a thread adds the size of a tile to the addresses of its chunks
 * of K and V. Rung 6b computes the addresses again for each tile.
 *
 * FlashAttention-2, arXiv 2307.08691. docs/07_cuda.md
 */
#include "07_cuda/tile/launch.cuh"
#include "07_cuda/tile/swizzle.cuh"

static const int threads = 128;

/* Rows: queries of a warp. bytes: shared memory of a block. At D = 256 a warp
 * has 16 rows, because O of 16 rows takes most of the registers. */
template <int D> struct shape {
    static const int Rows = D < 256 ? 32 : 16;
    static const int Br = 4 * Rows;
    static const bool Q_on_chip = D * Rows > 2048; /* not in registers */
    static const int Bc = Q_on_chip ? 32 : 64;
    static const int buffers = Q_on_chip ? 1 : 2; /* each for K and V */
    static const int bytes = 2 * D * (Br + buffers * 2 * Bc);
};

extern __shared__ uint4 smem[];

/* Starts the copy of the next Bc rows of K or V. Rows from `here` on become 0.
 * `from` is the address of this thread's first chunk of the tile, and becomes
 * that of the next tile. */
template <int D, int Bc, class T>
static __device__ void start_copy(T *to, const T *&from, int here)
{
    copy_own<D>(to, from, Bc, here, threads);
    cp_async_commit();
    from += Bc * D;
}

/* Returns the weight 2^{c (x - m)} of a score x <= m. If m is -inf (no key
 * attended yet), x is -inf too, and the weight is 0. */
static __device__ float weight(float x, float m, float c)
{
    return exp2_approx(fmaf(x, c, m == -INFINITY ? 0 : -m * c));
}

/* Returns alpha, the factor for the sums of earlier tiles: exactly 1 if the
 * maximum does not change or is -inf. weight(m_prev, m_new, c) could differ
 * from 1 in every tile, because fmaf does not round m_prev c. */
static __device__ float decay(float m_prev, float m_new, float c)
{
    return exp2_approx(fminf(m_prev - m_new, 0) * c); /* fminf(NaN, 0) is 0 */
}

/* ANCHOR: kernel */
template <class T, int D>
static __global__ void __launch_bounds__(threads, 2)
    flash2_tensor_core_full(rung_problem p)
{
    typedef shape<D> is;
    const int Br = is::Br, Bc = is::Bc, Groups = is::Rows / 16;
    T *Q = (T *)smem, *tiles = Q + Br * D;
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int tile = gridDim.x - 1 - blockIdx.x; /* the longest first */
    int i0 = tile * Br, own = threadIdx.x / 32 * is::Rows, first = i0 + own;
    int seen = keys_seen(p, min(i0 + Br, p.Nq) - 1);
    int seen_by_warp = keys_seen(p, min(first + is::Rows, p.Nq) - 1);
    /* c = |scale| log2 e, but not 0, because 0 times -inf is NaN. */
    float scale = fabsf(p.scale) + 1e-45f, c = scale * 1.44269504f;
    unsigned q[Groups][D / 16][4];
    float o[Groups][D / 8][4] = {}, m[Groups][2], l[Groups][2] = {};

    for (int a = 0; a < Groups; a++)
        m[a][0] = m[a][1] = -INFINITY;
    copy_async<D>(Q, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    cp_async_commit();
    h.K += own_chunk<D>();
    h.V += own_chunk<D>();
    start_copy<D, Bc>(tiles, h.K, seen);
    if (!is::Q_on_chip) {
        start_copy<D, Bc>(tiles + Bc * D, h.V, seen);
        cp_async_wait<2>();
        __syncthreads();
        for (int a = 0; a < Groups; a++)
            for (int k = 0; k < D / 16; k++)
                load_q<D>(q[a][k], Q, own + 16 * a, k);
    }
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        T *K = tiles + j0 / Bc % is::buffers * (2 * Bc * D), *V = K + Bc * D;
        T *next = tiles + (j0 / Bc + 1) % is::buffers * (2 * Bc * D);
        bool more = j0 + Bc < seen, skip = j0 >= seen_by_warp;

        /* load */
        cp_async_wait<0>();
        __syncthreads();
        if (is::buffers == 1)
            start_copy<D, Bc>(V, h.V, seen - j0);
        else if (more) {
            start_copy<D, Bc>(next, h.K, seen - j0 - Bc);
            start_copy<D, Bc>(next + Bc * D, h.V, seen - j0 - Bc);
        }
        /* scores */
        float s[Groups][Bc / 8][4] = {};
        for (int k = 0; k < D / 16 && !skip; k++) {
            for (int a = 0; a < Groups && is::Q_on_chip; a++)
                load_q<D>(q[a][k], Q, own + 16 * a, k);
            for (int n = 0; n < Bc / 8; n += 2) {
                unsigned b[4];

                load_k<D>(b, K, 8 * n, k);
                for (int a = 0; a < Groups; a++) {
                    mma(T(), s[a][n], q[a][k], b);
                    mma(T(), s[a][n + 1], q[a][k], b + 2);
                }
            }
        }
        if (is::buffers == 1) {
            cp_async_wait<0>(); /* V */
            __syncthreads();
            if (more)
                start_copy<D, Bc>(K, h.K, seen - j0 - Bc);
        }
        if (skip)
            continue;
        /* update */
        if (!(p.scale > 0))
            for (int a = 0; a < Groups; a++)
                for (int n = 0; n < Bc / 8; n++)
                    for (int e = 0; e < 4; e++)
                        s[a][n][e] *= p.scale < 0 ? -1 : 0;
        if (j0 + Bc > keys_seen(p, first))
            for (int a = 0; a < Groups; a++)
                for (int e = 0; e < 4; e++) {
                    int i = first + 16 * a + g + e / 2 * 8;
                    int limit = keys_seen(p, i) - j0 - 2 * t - e % 2;

                    for (int n = 0; n < Bc / 8; n++)
                        s[a][n][e] = 8 * n < limit ? s[a][n][e] : -INFINITY;
                }
#pragma unroll
        for (int a = 0; a < Groups; a++)
#pragma unroll
            for (int r = 0; r < 2; r++) {
                float m_prev = m[a][r], m_new = m_prev;

                for (int n = 0; n < Bc / 8; n++)
                    for (int e = 2 * r; e < 2 * r + 2; e++)
                        m_new = fmaxf(m_new, s[a][n][e]);
                m[a][r] = m_new = max_of_lanes<4>(m_new);
                float alpha = decay(m_prev, m_new, c);
                l[a][r] *= alpha;
                for (int n = 0; n < Bc / 8; n++)
                    for (int e = 2 * r; e < 2 * r + 2; e++) {
                        s[a][n][e] = weight(s[a][n][e], m_new, c);
                        l[a][r] += s[a][n][e];
                    }
                for (int n = 0; n < D / 8; n++)
                    for (int e = 2 * r; e < 2 * r + 2; e++)
                        o[a][n][e] *= alpha;
            }
        for (int k = 0; k < Bc / 16; k++) {
            unsigned w[Groups][4];

            for (int a = 0; a < Groups; a++)
                weights_of(T(), w[a], s[a][2 * k], s[a][2 * k + 1]);
            for (int n = 0; n < D / 8; n += 2) {
                unsigned b[4];

                load_v<D>(b, V, 16 * k, n);
                for (int a = 0; a < Groups; a++) {
                    mma(T(), o[a][n], w[a], b);
                    mma(T(), o[a][n + 1], w[a], b + 2);
                }
            }
        }
    }
    /* finish */
    cp_async_wait<0>(); /* a block without keys has not waited yet */
#pragma unroll
    for (int a = 0; a < Groups; a++) {
        for (int r = 0; r < 2; r++) {
            l[a][r] = sum_of_lanes<4>(l[a][r]);
            m[a][r] *= scale;
        }
        store_rows<T, D>(p, h, first + 16 * a + g, o[a], m[a], l[a]);
    }
}
/* ANCHOR_END: kernel */

int rung_full(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128, 256>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        const int bytes = shape<D>::bytes;
        dim3 grid = grid_of(p, shape<D>::Br);
        int error = allow_once<flash2_tensor_core_full<T, D>>(p, bytes);

        if (!error)
            flash2_tensor_core_full<T, D><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}
