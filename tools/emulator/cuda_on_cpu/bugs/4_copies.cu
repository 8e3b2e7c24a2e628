/* 4_copies.cu: mistakes with ldmatrix, and with cp.async, which copies
 * asynchronously. A thread must wait for its own copies, and then at a barrier
 * for the copies of other threads. Page: docs/cuda_on_cpu.md. */
#include "07_cuda/ptx/ptx.h"
#include "tools/emulator/cuda_on_cpu/bugs/gallery.h"

/* [copy_not_waited_for] cp.async
 * __syncthreads waits for threads. It does not wait for their copies. */
KERNEL(1, 32)
{
    __shared__ __align__(16) float tile[128];
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_commit();
    __syncthreads();
    a[128 + t] = tile[127 - t]; // <- here
}

/* [others_copies] race
 * cp_async_wait waits only for the calling thread's copies. Without a barrier
 * after the wait, another thread's copy may still be running. */
KERNEL(1, 64)
{
    __shared__ __align__(16) float tile[256];
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_commit();
    cp_async_wait<0>();
    float x = tile[255 - t]; // <- here
    __syncthreads();
    a[t] = x;
}

/* [one_group_too_few] cp.async
 * cp_async_wait<1> does not wait for the newest group of copies, which is read
 * here. The last iteration of a pipeline needs cp_async_wait<0>. */
KERNEL(1, 32)
{
    __shared__ __align__(16) float tile[2][128];
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

/* [never_committed] cp.async
 * cp_async_wait waits only for committed groups of copies. */
KERNEL(1, 32)
{
    __shared__ __align__(16) float tile[128];
    cp_async_16(&tile[4 * t], &a[4 * t]);
    cp_async_wait<0>();
    __syncthreads();
    float x = tile[t]; // <- here
    __syncthreads();
    a[t] = x;
}

/* [refilled_too_early] race
 * Other threads may still read the buffer when a thread refills it. A barrier
 * after the reads is missing. */
KERNEL(1, 64)
{
    __shared__ __align__(16) float tile[256];
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

/* [issued_too_early] race
 * A copy may start as soon as it is issued. Here it is issued before the
 * barrier, while other threads still read the buffer. */
KERNEL(1, 64)
{
    __shared__ __align__(16) float tile[256];
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

/* [copy_of_a_row_of_odd_length] misaligned
 * A 16-byte copy needs a source and a destination at multiples of 16 bytes.
 * Here rows of the source have 5 floats: 20 bytes. */
KERNEL(1, 32)
{
    __shared__ __align__(16) float tile[128];
    cp_async_16(&tile[4 * t], &a[5 * t]); // <- here
    cp_async_commit();
    cp_async_wait<0>();
    __syncthreads();
    a[t] = tile[t];
}

/* [ldmatrix_beyond_the_tile] out of bounds
 * Each lane passes the address of a row of 16 bytes. A warp reads 32 rows, but
 * the tile has 31. */
KERNEL(1, 32, 31 * 16)
{
    extern __shared__ __align__(16) float smem[];
    unsigned r[4];
    for (int i = t; i < 31 * 4; i += 32)
        smem[i] = 0;
    __syncthreads();
    ldmatrix_x4(r, &smem[4 * t]); // <- here
    a[t] = (float)r[0];
}

/* [ldmatrix_of_rows_of_20_bytes] misaligned
 * ldmatrix reads 16 bytes at each address, which must be a multiple of 16. Here
 * rows have 10 elements of 16 bits: 20 bytes. */
KERNEL(1, 32)
{
    __shared__ __align__(16) __nv_bfloat16 tile[32 * 10];
    unsigned r[4];
    for (int i = t; i < 32 * 10; i += 32)
        tile[i] = __float2bfloat16(0);
    __syncthreads();
    ldmatrix_x4(r, &tile[10 * t]); // <- here
    a[t] = (float)r[0];
}
