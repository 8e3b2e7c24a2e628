/* 1_memory.cu: invalid reads and writes. A GPU reports only some of them. Page:
 * docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

/* [one_past_the_end] out of bounds
 * The last thread reads one element beyond the array. On a GPU another array is
 * often at this address, and no error is reported. */
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
 * The kernel reads through a host pointer. The program must first copy the
 * array to device memory by cudaMemcpy. */
__global__ void hosts_memory(const float *a, float *b)
{
    b[threadIdx.x] = a[threadIdx.x]; // <- here
}
BUG(hosts_memory<<<1, 64>>>(new float[64](), bench.b));

/* [null_pointer] out of bounds
 * The kernel writes to an optional output although its pointer is null. */
__global__ void null_pointer(float *a, float *L)
{
    a[threadIdx.x] = 1;
    L[threadIdx.x] = 0; // <- here
}
BUG(null_pointer<<<1, 64>>>(bench.a, nullptr));

/* [used_after_free] out of bounds
 * The program frees the array before the launch. */
__global__ void used_after_free(float *a)
{
    a[threadIdx.x] += 1; // <- here
}
BUG(cudaFree(bench.a), used_after_free<<<1, 64>>>(bench.a));

/* [too_little_shared] out of bounds
 * The launch requests 256 bytes of shared memory, and the kernel uses 260. A
 * GPU does not check this bound. */
KERNEL(1, 64, 256)
{
    extern __shared__ float smem[];
    smem[t + 1] = a[t]; // <- here
    __syncthreads();
    a[t] = smem[t + 1];
}

/* [beyond_a_declared_tile] out of bounds
 * The last thread writes row 64, but a tile of 64 rows ends at row 63. The
 * array's size is declared, so the emulator checks the index. */
KERNEL(1, 64)
{
    __shared__ float tile[64][4];
    tile[t + 1][0] = a[t]; // <- here
    __syncthreads();
    a[t] = tile[t + 1][0];
}

/* [rest_of_the_tile] uninitialised
 * The kernel stores 40 keys in a tile of 64 and adds up all 64 elements. On a
 * GPU the other 24 may be values of an earlier block, and the sum often looks
 * right. */
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
 * FA1 stores m and l in global memory. cudaMalloc does not initialise them. So
 * the host must store m = -inf and l = 0 first. */
__global__ void running_max_never_set(const float *s, float *m)
{
    int i = threadIdx.x;
    m[i] = fmaxf(m[i], s[i]); // <- here
}
BUG(running_max_never_set<<<1, 64>>>(bench.a, new_array(64)));

/* [float4_at_any_address] misaligned
 * The address of a float4 must be a multiple of 16 bytes. Here rows have 65
 * floats, and only row 0 begins at such an address. */
KERNEL(1, 3)
{
    const float *row = a + 65 * t;
    float4 v = *(const float4 *)row; // <- here
    b[t] = v.x + v.y + v.z + v.w;
}

/* [atomic_at_an_odd_word] misaligned
 * The offset is in bytes, so it must be multiplied by 4. */
KERNEL(1, 3)
{
    atomicAdd((float *)((char *)a + t), 1); // <- here
}
