/*
 * Rung 7: FlashAttention-2 with all its optimisations.
 *
 * Changed since rung 6b: five optimisations. The benchmark can turn off each of
 * them (rung_full_without):
 *
 *   ROWS_32       Below D = 256 a warp has 32 queries, so each fragment of K
 *                 and V that ldmatrix loads is used in two multiplications. At
 *                 D = 128 the registers then have space for S of only 32 keys,
 *                 and Q stays in shared memory.
 *   EXP2          e^{scale (s - m)} is computed as 2^{c s - c m} with
 *                 c = scale log2 e. So a weight takes one fused multiply-add
 *                 and the GPU's instruction for 2^x.
 *   EDGES         A warp masks a tile only if one of its queries does not see
 *                 all keys of the tile.
 *   SKIP          The block does not load tiles beyond the causal limit of its
 *                 last query. A warp also skips tiles beyond the limit of the
 *                 warp's last query.
 *   LONGEST       The blocks with the most keys start first, so the blocks that
 *                 end last are short.
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
template <int D, int parts> struct shape {
    static const int Rows = parts & ROWS_32 && D < 256 ? 32 : 16;
    static const int Br = 4 * Rows;
    static const bool Q_on_chip = D == 256 || (D == 128 && Rows == 32);
    static const int Bc = Q_on_chip ? 32 : 64;
    static const int bytes = 2 * D * (Br + 4 * Bc);
};

extern __shared__ uint4 smem[];

/* Starts the copies of the next Bc rows of K and V to one buffer. Rows from
 * `here` on become 0. h.K and h.V point to this thread's first chunks of the
 * tile. Adds the size of a tile to h.K and h.V. */
template <class T, int D, int Bc>
static __device__ void start_tile(T *to, one_head<T> &h, int here)
{
    copy_own<D>(to, h.K, Bc, here, threads);
    copy_own<D>(to + Bc * D, h.V, Bc, here, threads);
    cp_async_commit();
    h.K += Bc * D;
    h.V += Bc * D;
}

/* Returns the weight of a score x <= m. With EXP2, x and m are not scaled, and
 * c = scale log2 e. If m is -inf (no key attended yet), x is -inf too, and the
 * weight is 0. */
template <int parts> static __device__ float weight(float x, float m, float c)
{
    if (!(parts & EXP2))
        return exp_minus(x, m);
    return exp2_approx(fmaf(x, c, m == -INFINITY ? 0 : -m * c));
}

/* Returns alpha, the factor for the sums of earlier tiles. With EXP2, alpha is
 * exactly 1 if the maximum does not change or is -inf. weight(m_prev, m_new, c)
 * could differ from 1 in every tile, because fmaf does not round m_prev c. */
template <int parts>
static __device__ float decay(float m_prev, float m_new, float c)
{
    if (!(parts & EXP2))
        return exp_minus(m_prev, m_new);
    return exp2_approx(fminf(m_prev - m_new, 0) * c); /* fminf(NaN, 0) is 0 */
}

/* ANCHOR: kernel */
template <class T, int D, int parts>
static __global__ void __launch_bounds__(threads, 2)
    flash2_tensor_core_full(rung_problem p)
{
    typedef shape<D, parts> is;
    const int Br = is::Br, Bc = is::Bc, Groups = is::Rows / 16;
    T *Q = (T *)smem, *tiles = Q + Br * D; /* two buffers for K and V */
    one_head<T> h = head_of<T>(p, blockIdx.y);
    int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    int tile = parts & LONGEST ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    int i0 = tile * Br, own = threadIdx.x / 32 * is::Rows, first = i0 + own;
    int end = min(i0 + Br, p.Nq), last = min(first + is::Rows, p.Nq) - 1;
    int seen = parts & SKIP ? keys_seen(p, end - 1) : p.Nk;
    float c = p.scale * 1.44269504f; /* log2 e */
    unsigned q[Groups][D / 16][4];
    float o[Groups][D / 8][4] = {}, m[Groups][2], l[Groups][2] = {};

    for (int a = 0; a < Groups; a++)
        m[a][0] = m[a][1] = -INFINITY;
    copy_async<D>(Q, h.Q + (size_t)i0 * D, Br, p.Nq - i0, threads);
    cp_async_commit();
    h.K += own_chunk<D>();
    h.V += own_chunk<D>();
    start_tile<T, D, Bc>(tiles, h, seen);
    if (!is::Q_on_chip) {
        cp_async_wait<1>();
        __syncthreads();
        for (int a = 0; a < Groups; a++)
            for (int k = 0; k < D / 16; k++)
                load_q<D>(q[a][k], Q, own + 16 * a, k);
    }
    for (int j0 = 0; j0 < seen; j0 += Bc) {
        T *K = tiles + j0 / Bc % 2 * (2 * Bc * D), *V = K + Bc * D;
        T *next = tiles + (j0 / Bc + 1) % 2 * (2 * Bc * D);

        /* load */
        cp_async_wait<0>();
        __syncthreads();
        if (j0 + Bc < seen)
            start_tile<T, D, Bc>(next, h, seen - j0 - Bc);
        if (parts & SKIP && j0 >= keys_seen(p, last))
            continue;
        /* scores */
        float s[Groups][Bc / 8][4] = {};
        for (int k = 0; k < D / 16; k++) {
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
        /* update */
        for (int a = 0; a < Groups && !(parts & EXP2); a++)
            for (int n = 0; n < Bc / 8; n++)
                for (int e = 0; e < 4; e++)
                    s[a][n][e] *= p.scale;
        if (!(parts & EDGES) || j0 + Bc > keys_seen(p, first))
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
                float alpha = decay<parts>(m_prev, m_new, c);
                l[a][r] *= alpha;
                for (int n = 0; n < Bc / 8; n++)
                    for (int e = 2 * r; e < 2 * r + 2; e++) {
                        s[a][n][e] = weight<parts>(s[a][n][e], m_new, c);
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
            m[a][r] *= parts & EXP2 ? p.scale : 1;
        }
        store_rows<T, D>(p, h, first + 16 * a + g, o[a], m[a], l[a]);
    }
}
/* ANCHOR_END: kernel */

template <int parts> static int start_with(const rung_problem *p)
{
    return for_type_and_D<32, 64, 128, 256>(p, [=](auto type, auto D) {
        typedef decltype(type) T;
        typedef shape<D, parts> is;
        const int bytes = is::bytes;
        dim3 grid = grid_of(p, is::Br);
        int error = allow_once<flash2_tensor_core_full<T, D, parts>>(p, bytes);

        if (!error)
            flash2_tensor_core_full<T, D, parts><<<grid, threads, bytes>>>(*p);
        return error ? error : (int)cudaGetLastError();
    });
}

/* EXP2 needs a positive scale: c m is the maximum of all c s only if c > 0. */
int rung_full(const rung_problem *p)
{
    return p->scale > 0 ? start_with<ALL>(p) : start_with<ALL & ~EXP2>(p);
}

int rung_full_without(const rung_problem *p, int part)
{
    switch (part) {
    case ROWS_32:
        return start_with<ALL & ~ROWS_32>(p);
    case EXP2:
        return start_with<ALL & ~EXP2>(p);
    case EDGES:
        return start_with<ALL & ~EDGES>(p);
    case SKIP:
        return start_with<ALL & ~SKIP>(p);
    case LONGEST:
        return start_with<ALL & ~LONGEST>(p);
    default:
        return rung_full(p);
    }
}
