/* first_kernels.cu: a for-loop in C, the same loop as a kernel, and kernels
 * whose threads share data. Page: docs/cuda_in_one_page.md. */
#include <cuda_runtime.h>

#include <cuda_on_cpu.h>

enum { N = 64, D = 16, Bc = 16, THREADS = 32, LANES = 8 };

/* ANCHOR: loop */
void scale_loop(float *y, const float *x, float a, int n)
{
    for (int i = 0; i < n; i++)
        y[i] = a * x[i];
}
/* ANCHOR_END: loop */

/* ANCHOR: scale */
__global__ void scale(float *y, const float *x, float a, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        y[i] = a * x[i];
}
/* ANCHOR_END: scale */

__global__ void block_and_thread(int *block, int *thread, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n) {
        block[i] = blockIdx.x;
        thread[i] = threadIdx.x;
    }
}

/* ANCHOR: alone */
__global__ void scores_alone(float *S, const float *Q, const float *K)
{
    int i = blockIdx.x * THREADS + threadIdx.x; /* this thread's query */

    for (int j = 0; j < N; j++) {
        float s = 0;

        for (int c = 0; c < D; c++)
            s += Q[i * D + c] * K[j * D + c];
        S[i * N + j] = s;
    }
}
/* ANCHOR_END: alone */

/* ANCHOR: shared */
__global__ void scores_shared(float *S, const float *Q, const float *K)
{
    __shared__ float tile[Bc][D]; /* one tile per block */
    int i = blockIdx.x * THREADS + threadIdx.x;

    for (int j0 = 0; j0 < N; j0 += Bc) {
        for (int e = threadIdx.x; e < Bc * D; e += THREADS)
            tile[e / D][e % D] = K[j0 * D + e];
        __syncthreads(); /* the tile is complete */
        for (int j = 0; j < Bc; j++) {
            float s = 0;

            for (int c = 0; c < D; c++)
                s += Q[i * D + c] * tile[j][c];
            S[i * N + j0 + j] = s;
        }
        __syncthreads(); /* all threads have used it */
    }
}
/* ANCHOR_END: shared */

/* ANCHOR: lanes */
__global__ void sum_of_lanes(float *after)
{
    int lane = threadIdx.x;
    float x = lane;

    after[lane] = x;
    for (int other = 1; other < LANES; other *= 2) {
        x += __shfl_xor_sync(~0u, x, other);
        after += 32;
        after[lane] = x;
    }
}
/* ANCHOR_END: lanes */

template <class T> static T *new_array(int n, const char *name)
{
    T *x = nullptr;

    cudaMalloc(&x, n * sizeof(T));
    for (int i = 0; i < n; i++) {
        T i_th = (T)i;
        cudaMemcpy(x + i, &i_th, sizeof(T), cudaMemcpyHostToDevice);
    }
    cuda_on_cpu_name(x, name);
    return x;
}

template <class T> static void print_row(const char *name, const T *x, int n)
{
    printf("  %-9s", name);
    for (int i = 0; i < n; i++) {
        T value;
        cudaMemcpy(&value, x + i, sizeof(T), cudaMemcpyDeviceToHost);
        printf("%4g", (double)value);
    }
    printf("\n");
}

static void first_kernel(void)
{
    const int n = 10;
    float *x = new_array<float>(n, "x"), *y = new_array<float>(n, "y");
    int *block = new_array<int>(n, "block");
    int *thread = new_array<int>(n, "thread");

    scale<<<3, 4>>>(y, x, 2, n);
    block_and_thread<<<3, 4>>>(block, thread, n);
    printf("scale<<<3, 4>>>: 3 blocks of 4 threads, 10 elements\n");
    print_row("x", x, n);
    print_row("block", block, n);
    print_row("thread", thread, n);
    print_row("y = 2 x", y, n);
}

static void print_scores(const char *name, const float *K)
{
    struct cuda_counts c = cuda_on_cpu_counts();

    printf("  %-14s %6d bytes of K loaded, %6d of shared memory, "
           "%2d barriers\n",
           name, (int)cuda_on_cpu_array_counts(K).loaded, (int)c.shared_loaded,
           (int)c.barriers);
}

static void scores(void)
{
    float *Q = new_array<float>(N * D, "Q"), *K = new_array<float>(N * D, "K");
    float *S = new_array<float>(N * N, "S");

    printf("\nThe scores of %d queries and keys, d = %d, a thread per query\n",
           N, D);
    scores_alone<<<N / THREADS, THREADS>>>(S, Q, K);
    print_scores("scores_alone", K);
    scores_shared<<<N / THREADS, THREADS>>>(S, Q, K);
    print_scores("scores_shared", K);
}

static void lanes(void)
{
    static const char *const step[] = {"at first", "other 1", "other 2",
                                       "other 4"};
    float *after = new_array<float>(32 * 4, "after");

    sum_of_lanes<<<1, 32>>>(after);
    printf("\nsum_of_lanes<<<1, 32>>>: x of lanes 0 to 7\n");
    for (int s = 0; s < 4; s++)
        print_row(step[s], after + 32 * s, LANES);
}

int main()
{
    float x[] = {1, 2, 3}, y[3];

    scale_loop(y, x, 2, 3);
    first_kernel();
    scores();
    lanes();
    printf("next: make cuda-demo\nthen: make exercise-07\n");
    return cudaGetLastError() != cudaSuccess;
}
