/* 5_host.cu: mistakes in host code: launches that fail, wrong copies, memory
 * that is freed twice; and kernels that use variables of the host. Page:
 * docs/cuda_on_cpu.md. */
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

static __global__ void fill(float *a)
{
    a[threadIdx.x % 256] = 1;
}

static __global__ void fill_shared(float *a)
{
    extern __shared__ float smem[];
    smem[threadIdx.x] = 1;
    a[threadIdx.x] = smem[threadIdx.x];
}

static const auto most_shared = cudaFuncAttributeMaxDynamicSharedMemorySize;
static float host[512];

/* [too_many_threads] launch
 * A block has at most 1024 threads. The kernel does not run. */
BUG(fill<<<1, 2048>>>(bench.a)); // <- here

/* [more_than_48_KiB] launch
 * More than 48 KiB of dynamic shared memory need a call of
 * cudaFuncSetAttribute, once for each kernel. */
BUG(fill_shared<<<1, 64, 64 * 1024>>>(bench.a)); // <- here

/* [set_for_another_kernel] launch
 * cudaFuncSetAttribute sets the limit of one kernel, or of one instance of a
 * template. Here it is called for another kernel. */
static cudaError_t set_for_fill()
{
    return cudaFuncSetAttribute(fill, most_shared, 64 * 1024);
}
BUG(set_for_fill(), fill_shared<<<1, 64, 64 * 1024>>>(bench.a)); // <- here

/* [more_than_there_is] launch
 * A block can have at most 227 KiB of shared memory on an H200. */
BUG(cudaFuncSetAttribute(fill_shared, most_shared, 256 * 1024)); // <- here

/* [error_not_read] unchecked error
 * A launch returns no error. A program must call cudaGetLastError to find out
 * that the kernel did not run. Otherwise its results and times are wrong. */
static void fill_twice(float *a)
{
    fill<<<1, 2048>>>(a); // <- here
    fill<<<1, 256>>>(a);
}
BUG(fill_twice(bench.a));

/* [no_blocks] launch
 * N / 128 is rounded down. For N = 100 rows the grid has no blocks. */
static const int N = 100;
BUG(fill<<<N / 128, 128>>>(bench.a)); // <- here

/* [wrong_way_round] host call
 * The first argument is the destination. Here it is host memory, but the
 * direction is from host to device. */
BUG(cudaMemcpy(host, bench.a, 16, cudaMemcpyHostToDevice)); // <- here

/* [device_memory_as_host_memory] host call
 * The source is device memory, from the end of b on. The direction says that it
 * is host memory. */
BUG(cudaMemcpy(bench.a, bench.b + 256, 4, cudaMemcpyHostToDevice)); // <- here

/* [copied_too_much] host call
 * The third argument is a size in bytes. Here it is 2048, and the destination
 * has 1024 bytes. */
BUG(cudaMemcpy(bench.a, host, sizeof host, cudaMemcpyHostToDevice)); // <- here

/* [freed_twice] host call
 * The pointer is freed twice. At the second cudaFree it may be the address of
 * another array. */
BUG(cudaFree(bench.b), cudaFree(bench.b)); // <- here

/* [tile_of_the_file] host variable
 * A variable of the file is the host's, unless it has __device__, __constant__
 * or __shared__. nvcc refuses this kernel. */
static float tile[64];
KERNEL(1, 64)
{
    tile[t] = a[t]; // <- here
    __syncthreads();
    b[t] = tile[63 - t];
}

/* [table_of_the_file] host variable
 * The constants of an array are in the host's memory, too. Only constants that
 * are single numbers can be used in a kernel. */
static const float table[4] = {1, 2, 3, 4};
KERNEL(1, 64)
{
    b[t] = a[t] * table[t % 4]; // <- here
}
