/* 5_host.cu: mistakes of the host: launches that never ran, copies that went
 * the wrong way. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/emulator/cuda_on_cpu/bugs/gallery.h"

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
 * A block has at most 1024 threads. The kernel doesn't run at all. */
BUG(fill<<<1, 2048>>>(bench.a)); // <- here

/* [more_than_48_KiB] launch
 * Up to 48 KiB of dynamic shared memory come by themselves; more must be
 * allowed by cudaFuncSetAttribute, once for each kernel. */
BUG(fill_shared<<<1, 64, 64 * 1024>>>(bench.a)); // <- here

/* [asked_for_another_kernel] launch
 * The attribute belongs to one kernel (and to one instance of a template). */
static cudaError_t ask_for_fill()
{
    return cudaFuncSetAttribute(fill, most_shared, 64 * 1024);
}
BUG(ask_for_fill(), fill_shared<<<1, 64, 64 * 1024>>>(bench.a)); // <- here

/* [more_than_there_is] launch
 * No block gets more than 227 KiB on an H200. */
BUG(cudaFuncSetAttribute(fill_shared, most_shared, 256 * 1024)); // <- here

/* [nobody_asked] unchecked error
 * A launch returns nothing. Without cudaGetLastError the results are those
 * of a kernel that did not run, and so is the measured time. */
static void fill_twice(float *a)
{
    fill<<<1, 2048>>>(a); // <- here
    fill<<<1, 256>>>(a);
}
BUG(fill_twice(bench.a));

/* [no_blocks] launch
 * N / 128 rounds down: for 100 rows, a grid of none. */
static const int N = 100;
BUG(fill<<<N / 128, 128>>>(bench.a)); // <- here

/* [wrong_way_round] host call
 * The destination comes first, and the direction must say so. */
BUG(cudaMemcpy(host, bench.a, 16, cudaMemcpyHostToDevice)); // <- here

/* [copied_too_much] host call
 * Bytes, not elements; and of this array, not of the larger one. */
BUG(cudaMemcpy(bench.a, host, sizeof host, cudaMemcpyHostToDevice)); // <- here

/* [freed_twice] host call
 * The second time it may already be another array. */
BUG(cudaFree(bench.b), cudaFree(bench.b)); // <- here
