/* 4_copies.cu: cp.async goes on in the background: two waits are needed, for
 * one's own copies and for the others'. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "07_cuda/cuda_on_cpu/bugs/gallery.h"

/* [copy_not_waited_for] cp.async
 * A barrier waits for threads, not for their copies. */
__global__ void copy_not_waited_for(float *a)
{
    __shared__ __align__(16) float tile[128];
    int t = threadIdx.x;
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_commit();
    __syncthreads();
    a[128 + t] = tile[127 - t]; // <- here
}
BUG(copy_not_waited_for<<<1, 32>>>(bench.a));

/* [others_copies] race
 * cp_async_wait waits for this thread's copies only: then a barrier, or one
 * reads what another thread is still copying. */
__global__ void others_copies(float *a)
{
    __shared__ __align__(16) float tile[256];
    int t = threadIdx.x;
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_commit();
    cp_async_wait<0>();
    float x = tile[255 - t]; // <- here
    __syncthreads();
    a[t] = x;
}
BUG(others_copies<<<1, 64>>>(bench.a));

/* [one_group_too_few] cp.async
 * wait<1> lets the newest group be under way, and that is the one needed: in
 * the last turn of a pipeline it must be wait<0>. */
__global__ void one_group_too_few(float *a)
{
    __shared__ __align__(16) float tile[2][128];
    int t = threadIdx.x;
    for (int j = 0; j < 2; j++) {
        cp_async_16(&tile[j][4 * t], &a[128 * j + 4 * t]);
        cp_async_commit();
    }
    cp_async_wait<1>();
    __syncthreads();
    float x = tile[0][t] + tile[1][t]; // <- here
    __syncthreads();
    a[t] = x;
}
BUG(one_group_too_few<<<1, 32>>>(bench.a));

/* [never_committed] cp.async
 * A copy that is in no closed group is not waited for. */
__global__ void never_committed(float *a)
{
    __shared__ __align__(16) float tile[128];
    int t = threadIdx.x;
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_wait<0>();
    __syncthreads();
    float x = tile[t]; // <- here
    __syncthreads();
    a[t] = x;
}
BUG(never_committed<<<1, 32>>>(bench.a));

/* [refilled_too_early] race
 * Double buffering without the barrier that says that everybody is done with
 * the buffer about to be refilled. */
__global__ void refilled_too_early(float *a)
{
    __shared__ __align__(16) float tile[256];
    int t = threadIdx.x;
    float sum = 0;
    for (int j = 0; j < 2; j++) {
        cp_async_16(&tile[4 * t], &a[4 * t]); // <- here
        cp_async_commit();
        cp_async_wait<0>();
        __syncthreads();
        sum += tile[255 - t];
    }
    a[t] = sum;
}
BUG(refilled_too_early<<<1, 64>>>(bench.a));

/* [asked_for_too_early] race
 * The wait comes after the barrier, but the copy may start as soon as it is
 * asked for: while others still read the buffer. */
__global__ void asked_for_too_early(float *a)
{
    __shared__ __align__(16) float tile[256];
    int t = threadIdx.x;
    for (int i = t; i < 256; i += 64)
        tile[i] = 0;
    __syncthreads();
    float sum = tile[255 - t];
    cp_async_16(&tile[4 * t], &a[4 * t]); // <- here
    cp_async_commit();
    __syncthreads();
    cp_async_wait<0>();
    __syncthreads();
    a[t] = sum + tile[t];
}
BUG(asked_for_too_early<<<1, 64>>>(bench.a));

/* [copy_of_a_row_of_odd_length] misaligned
 * 16-byte copies need 16-byte rows, at both ends. */
__global__ void copy_of_a_row_of_odd_length(float *a)
{
    __shared__ __align__(16) float tile[128];
    int t = threadIdx.x;
    cp_async_16(&tile[4 * t], &a[5 * t]); // <- here
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    a[t] = tile[t];
}
BUG(copy_of_a_row_of_odd_length<<<1, 32>>>(bench.a));

/* [ldmatrix_beyond_the_tile] out of bounds
 * Each lane gives the address of one row of 16 bytes: 32 rows, and the tile
 * has 31. */
__global__ void ldmatrix_beyond_the_tile(float *a)
{
    extern __shared__ __align__(16) float smem[];
    int t = threadIdx.x;
    unsigned r[4];
    for (int i = t; i < 31 * 4; i += 32)
        smem[i] = 0;
    __syncthreads();
    ldmatrix_x4(r, &smem[4 * t]); // <- here
    a[t] = (float)r[0];
}
BUG(ldmatrix_beyond_the_tile<<<1, 32, 31 * 16>>>(bench.a));
