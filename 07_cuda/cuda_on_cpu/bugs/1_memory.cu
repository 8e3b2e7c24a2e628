/* 1_memory.cu: reading and writing what one may not, or what isn't there.
 * A GPU finds some of these, sometimes. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

/* [one_past_the_end] out of bounds
 * The last thread reads one element beyond the array. On a GPU there is often
 * something else of yours there, and nothing happens. */
__global__ void one_past_the_end(const float *a, float *b)
{
    int t = threadIdx.x;
    b[t] = a[t] + a[t + 1]; // <- here
}
BUG(one_past_the_end<<<1, 256>>>(bench.a, bench.b));

/* [ragged_tail] out of bounds
 * The grid is rounded up to whole blocks, and no thread asks whether its
 * element exists. */
__global__ void ragged_tail(float *a)
{
    a[blockIdx.x * blockDim.x + threadIdx.x] = 1; // <- here
}
BUG(ragged_tail<<<3, 96>>>(bench.a));

/* [hosts_memory] out of bounds
 * The pointer is the host's: cudaMemcpy was forgotten. */
__global__ void hosts_memory(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // <- here
}
BUG(hosts_memory<<<1, 64>>>(new float[64](), bench.b));

/* [null_pointer] out of bounds
 * An optional output that wasn't asked for is written all the same. */
__global__ void null_pointer(float *a, float *L)
{
    a[threadIdx.x] = 1;
    L[threadIdx.x] = 0; // <- here
}
BUG(null_pointer<<<1, 64>>>(bench.a, nullptr));

/* [used_after_free] out of bounds
 * cudaFree came before the launch. */
__global__ void used_after_free(float *a)
{
    a[threadIdx.x] += 1; // <- here
}
BUG(cudaFree(bench.a), used_after_free<<<1, 64>>>(bench.a));

/* [too_little_shared] out of bounds
 * The launch gives 256 bytes of shared memory, the kernel uses 4 more. A GPU
 * has no wall there. */
__global__ void too_little_shared(float *a)
{
    extern __shared__ float smem[];
    int t = threadIdx.x;
    smem[t + 1] = a[t]; // <- here
    __syncthreads();
    a[t] = smem[t + 1];
}
BUG(too_little_shared<<<1, 64, 256>>>(bench.a));

/* [beyond_a_declared_tile] out of bounds
 * Row 64 of a tile of 64 rows: the compiler knows the array's size, and looks
 * at the index. */
__global__ void beyond_a_declared_tile(float *a)
{
    __shared__ float tile[64][4];
    int t = threadIdx.x;
    tile[t + 1][0] = a[t]; // <- here
    __syncthreads();
    a[t] = tile[t + 1][0];
}
BUG(beyond_a_declared_tile<<<1, 64>>>(bench.a));

/* [rest_of_the_tile] uninitialised
 * 40 keys fill a tile of 64; all 64 are summed. The rest holds what the block
 * before left there, often numbers that look right. */
__global__ void rest_of_the_tile(float *a, int keys)
{
    __shared__ float tile[64];
    int t = threadIdx.x;
    if (t < keys)
        tile[t] = a[t];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 64; j++)
        sum += tile[j]; // <- here
    a[t] = sum;
}
BUG(rest_of_the_tile<<<1, 64>>>(bench.a, 40));

/* [accumulator_without_a_start] uninitialised
 * Shared memory doesn't begin as zero. */
__global__ void accumulator_without_a_start(float *a)
{
    extern __shared__ float smem[];
    int t = threadIdx.x;
    smem[t] += a[t]; // <- here
    a[t] = smem[t];
}
BUG(accumulator_without_a_start<<<1, 64, 256>>>(bench.a));

/* [running_max_never_set] uninitialised
 * FA1 keeps m and l in global memory; cudaMalloc doesn't clear it, and the
 * host must write -inf and 0 first. */
__global__ void running_max_never_set(const float *s, float *m)
{
    int i = threadIdx.x;
    m[i] = fmaxf(m[i], s[i]); // <- here
}
BUG(running_max_never_set<<<1, 64>>>(bench.a, new_array(64)));

/* [float4_at_any_address] misaligned
 * A float4 must lie at a multiple of 16 bytes: rows of 65 floats break that
 * for all but the first. */
__global__ void float4_at_any_address(const float *a, float *b)
{
    const float *row = a + 65 * threadIdx.x;
    float4 v = *(const float4 *)row; // <- here
    b[threadIdx.x] = v.x + v.y + v.z + v.w;
}
BUG(float4_at_any_address<<<1, 3>>>(bench.a, bench.b));
