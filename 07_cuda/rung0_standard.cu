/*
 * Rung 0: standard attention, the baseline. Three kernels, S and P in HBM.
 *
 *     S = scale Q K^T         P = softmax(S), in place         O = P V
 *
 * Changed since standard_attention.c: the code is CUDA. A block computes a tile
 * of T x T scores or outputs, one per thread. Kernels pass data to each other
 * only through HBM: N^2 scores and N^2 weights per head.
 *
 * FlashAttention, arXiv 2205.14135, Algorithm 0. docs/07_cuda.md
 */
#include "07_cuda/tile/head.cuh"
#include "07_cuda/tile/launch.cuh"

static const int T = 32;

static inline __device__ float *row_of(float *S, rung_problem p, int head,
                                       int i)
{
    return S + ((size_t)head * p.Nq + i) * p.Nk;
}

/* ANCHOR: kernel */
/* Block (x, y, z) computes tile of queries x, tile of keys y, head z. */
static __global__ void __launch_bounds__(T *T)
    standard_scores(rung_problem p, float *S)
{
    /* A warp reads a column of K. The padding puts it in 32 different banks. */
    __shared__ float Q[T][T], K[T][T + 1];
    one_head<float> h = head_of<float>(p, blockIdx.z);
    int x = threadIdx.x, y = threadIdx.y;
    int i0 = blockIdx.x * T, i = i0 + y, j0 = blockIdx.y * T, j = j0 + x;
    int seen = keys_seen(p, min(i0 + T, p.Nq) - 1);
    float s = 0;

    if (j0 >= seen)
        return;
    for (int c0 = 0; c0 < p.D; c0 += T) {
        /* load */
        __syncthreads();
        Q[y][x] = i < p.Nq ? h.Q[(size_t)i * p.D + c0 + x] : 0;
        K[y][x] = j0 + y < seen ? h.K[(size_t)(j0 + y) * p.D + c0 + x] : 0;
        __syncthreads();
        /* scores */
        for (int c = 0; c < T; c++)
            s += Q[y][c] * K[x][c];
    }
    if (i < p.Nq && j < seen)
        row_of(S, p, blockIdx.z, i)[j] =
            j < keys_seen(p, i) ? p.scale * s : -INFINITY;
}

/* Block (x, y) computes tile of queries x of head y, with a row per warp. */
static __global__ void __launch_bounds__(T *T)
    standard_softmax(rung_problem p, float *S)
{
    int i0 = blockIdx.x * T, i = i0 + threadIdx.y;
    int seen = keys_seen(p, min(i0 + T, p.Nq) - 1);
    float *s = row_of(S, p, blockIdx.y, i), m = -INFINITY, l = 0;

    if (i >= p.Nq)
        return;
    /* update */
    for (int j = threadIdx.x; j < seen; j += T) {
        float x = s[j], m_new = fmaxf(m, x);

        l = exp_minus(m, m_new) * l + exp_minus(x, m_new);
        m = m_new;
    }
    float m_row = max_of_lanes<T>(m);
    float l_row = sum_of_lanes<T>(exp_minus(m, m_row) * l);
    for (int j = threadIdx.x; j < seen; j += T)
        s[j] = exp_minus(s[j], m_row) * inverse(l_row);
    if (threadIdx.x == 0)
        head_of<float>(p, blockIdx.y).L[i] = m_row + logf(l_row);
}

/* Block (x, y, z) computes tile of queries x, tile of columns y, head z. */
static __global__ void __launch_bounds__(T *T)
    standard_output(rung_problem p, float *S)
{
    __shared__ float P[T][T], V[T][T];
    one_head<float> h = head_of<float>(p, blockIdx.z);
    int x = threadIdx.x, y = threadIdx.y;
    int i0 = blockIdx.x * T, i = i0 + y, c = blockIdx.y * T + x;
    int seen = keys_seen(p, min(i0 + T, p.Nq) - 1);
    float o = 0;

    for (int j0 = 0; j0 < seen; j0 += T) {
        bool there = i < p.Nq && j0 + x < seen;

        __syncthreads();
        P[y][x] = there ? row_of(S, p, blockIdx.z, i)[j0 + x] : 0;
        V[y][x] = j0 + y < seen ? h.V[(size_t)(j0 + y) * p.D + c] : 0;
        __syncthreads();
        for (int j = 0; j < T; j++)
            o += P[y][j] * V[j][x];
    }
    /* finish */
    if (i < p.Nq)
        h.O[(size_t)i * p.D + c] = o;
}
/* ANCHOR_END: kernel */

int rung_standard(const rung_problem *p)
{
    int rows = (p->Nq + T - 1) / T, keys = max(1, (p->Nk + T - 1) / T), freed;
    size_t elements = (size_t)p->heads * p->Nq * max(1, p->Nk);
    dim3 tile(T, T);
    float *S;
    int error = cudaMallocAsync(&S, elements * sizeof(float), 0);

    if (error)
        return error;
    standard_scores<<<dim3(rows, keys, p->heads), tile>>>(*p, S);
    standard_softmax<<<dim3(rows, p->heads), tile>>>(*p, S);
    standard_output<<<dim3(rows, p->D / T, p->heads), tile>>>(*p, S);
    error = cudaGetLastError();
    freed = cudaFreeAsync(S, 0);
    return error ? error : freed;
}
