/* 5_host.cu: mistakes of the host: launches that never ran, copies that went
 * the wrong way. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

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

/* [too_many_threads] launch
 * A block has at most 1024 threads. The kernel doesn't run at all. */
BUG(too_many_threads)
{
    fill<<<1, 2048>>>(bench.a); // <- here
}

/* [more_than_48_KiB] launch
 * Up to 48 KiB of dynamic shared memory come by themselves; more must be
 * asked for with cudaFuncSetAttribute, once for each kernel. */
BUG(more_than_48_KiB)
{
    fill_shared<<<1, 64, 64 * 1024>>>(bench.a); // <- here
}

/* [asked_for_another_kernel] launch
 * The attribute belongs to one kernel (and to one instance of a template). */
BUG(asked_for_another_kernel)
{
    cudaFuncSetAttribute(fill, cudaFuncAttributeMaxDynamicSharedMemorySize,
                         64 * 1024);
    fill_shared<<<1, 64, 64 * 1024>>>(bench.a); // <- here
}

/* [more_than_there_is] launch
 * No block gets more than 227 KiB on an H200. */
BUG(more_than_there_is)
{
    cudaFuncSetAttribute(fill_shared, // <- here
                         cudaFuncAttributeMaxDynamicSharedMemorySize,
                         256 * 1024);
}

/* [nobody_asked] unchecked error
 * A launch returns nothing. If nobody asks cudaGetLastError, the results are
 * those of a kernel that didn't run, and a timer says how fast it didn't. */
BUG(nobody_asked)
{
    fill<<<1, 2048>>>(bench.a); // <- here
    fill<<<1, 256>>>(bench.a);
}

/* [no_blocks] launch
 * N / 128 rounds down: for 100 rows, a grid of none. */
BUG(no_blocks)
{
    int N = 100;
    fill<<<N / 128, 128>>>(bench.a); // <- here
}

/* [wrong_way_round] host call
 * The destination comes first, and the direction must say so. */
BUG(wrong_way_round)
{
    float host[4];
    cudaMemcpy(host, bench.a, sizeof host, cudaMemcpyHostToDevice); // <- here
}

/* [copied_too_much] host call
 * Bytes, not elements; and of this array, not of the larger one. */
BUG(copied_too_much)
{
    static float host[512];
    cudaMemcpy(bench.a, host, sizeof host, cudaMemcpyHostToDevice); // <- here
}

/* [freed_twice] host call
 * The second time it may already be somebody else's. */
BUG(freed_twice)
{
    cudaFree(bench.b);
    cudaFree(bench.b); // <- here
}
