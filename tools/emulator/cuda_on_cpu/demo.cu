/* demo.cu: transposes a matrix through a tile in shared memory. A column of the
 * tile is in one bank if rows have 32 floats, and in 32 banks if rows have 33.
 * Page: docs/cuda_on_cpu.md. */
#include <cuda_runtime.h>

#include <cuda_on_cpu.h>

/* ANCHOR: transpose */
template <int width> __global__ void transpose(const float *A, float *B, int n)
{
    __shared__ float tile[32][width];
    int x = threadIdx.x, i0 = blockIdx.y * 32, j0 = blockIdx.x * 32;
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        tile[y][x] = A[(i0 + y) * n + j0 + x];
    __syncthreads();
    for (int y = threadIdx.y; y < 32; y += blockDim.y)
        B[(j0 + y) * n + i0 + x] = tile[x][y];
}
/* ANCHOR_END: transpose */

int main()
{
    const int n = 64;
    const size_t bytes = n * n * sizeof(float);
    float *A = nullptr, *B = nullptr;
    cudaMalloc(&A, bytes);
    cudaMalloc(&B, bytes);
    cudaMemset(A, 0, bytes);
    cuda_on_cpu_name(A, "A");
    cuda_on_cpu_name(B, "B");
    transpose<32><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(A, B, n);
    cuda_on_cpu_report(stdout);
    transpose<33><<<dim3(n / 32, n / 32), dim3(32, 8)>>>(A, B, n);
    cuda_on_cpu_report(stdout);
    return cudaGetLastError() != cudaSuccess;
}
