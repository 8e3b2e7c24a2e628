/* 1_memory.cu: invalid reads and writes. A GPU sometimes finds some of them.
 * Page: docs/cuda_on_cpu.md. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

/* [one_past_the_end] out of bounds
 * The last thread reads one element beyond the array. On a GPU another array is
 * often there, and no error is reported. */
KERNEL(1, 256)
{
    b[t] = a[t] + a[t + 1]; // <- here
}

/* [ragged_tail] out of bounds
 * The grid is rounded up to whole blocks, and the kernel does not check that
 * the element exists. */
KERNEL(3, 96)
{
    a[blockIdx.x * blockDim.x + t] = 1; // <- here
}

/* [hosts_memory] out of bounds
 * The pointer is a host pointer: cudaMemcpy is missing. */
__global__ void hosts_memory(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // <- here
}
BUG(hosts_memory<<<1, 64>>>(new float[64](), bench.b));

/* [null_pointer] out of bounds
 * The kernel writes an optional output, though its pointer is null. */
__global__ void null_pointer(float *a, float *L)
{
    a[threadIdx.x] = 1;
    L[threadIdx.x] = 0; // <- here
}
BUG(null_pointer<<<1, 64>>>(bench.a, nullptr));

/* [used_after_free] out of bounds
 * cudaFree is called before the launch. */
__global__ void used_after_free(float *a)
{
    a[threadIdx.x] += 1; // <- here
}
BUG(cudaFree(bench.a), used_after_free<<<1, 64>>>(bench.a));

/* [too_little_shared] out of bounds
 * The launch gives 256 bytes of shared memory, the kernel uses 4 more. A GPU
 * does not check that. */
KERNEL(1, 64, 256)
{
    extern __shared__ float smem[];
    smem[t + 1] = a[t]; // <- here
    __syncthreads();
    a[t] = smem[t + 1];
}

/* [beyond_a_declared_tile] out of bounds
 * Row 64 of a tile of 64 rows: the array's size is declared, so the index
 * is checked. */
KERNEL(1, 64)
{
    __shared__ float tile[64][4];
    tile[t + 1][0] = a[t]; // <- here
    __syncthreads();
    a[t] = tile[t + 1][0];
}

/* [rest_of_the_tile] uninitialised
 * 40 keys are stored in a tile of 64; all 64 are summed. The rest contains
 * values of an earlier block, which often look right. */
KERNEL(1, 64)
{
    __shared__ float tile[64];
    const int keys = 40;
    if (t < keys)
        tile[t] = a[t];
    __syncthreads();
    float sum = 0;
    for (int j = 0; j < 64; j++)
        sum += tile[j]; // <- here
    a[t] = sum;
}

/* [running_max_never_set] uninitialised
 * FA1 stores m and l in global memory. cudaMalloc does not clear it, so the
 * host must write -inf and 0 first. */
__global__ void running_max_never_set(const float *s, float *m)
{
    int i = threadIdx.x;
    m[i] = fmaxf(m[i], s[i]); // <- here
}
BUG(running_max_never_set<<<1, 64>>>(bench.a, new_array(64)));

/* [float4_at_any_address] misaligned
 * A float4 must be at a multiple of 16 bytes. In rows of 65 floats only the
 * first one is. */
KERNEL(1, 3)
{
    const float *row = a + 65 * t;
    float4 v = *(const float4 *)row; // <- here
    b[t] = v.x + v.y + v.z + v.w;
}
