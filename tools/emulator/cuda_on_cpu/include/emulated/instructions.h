/* instructions.h: PTX instructions as functions, for ptx_cpu.h,
 * ptx_hopper_cpu.h, and the asm statements that cuda-check translates. */
#pragma once
#include "../cuda_fp16.h"

/* 128 bytes that only the emulator reads. */
struct alignas(64) CUtensorMap {
    uint64_t opaque[16];
};

namespace emu
{
struct Mma {
    float *c;
    const unsigned *a, *b;
};

void ldmatrix(WarpOp op, unsigned *r, const void *row, Site at, int n = 4);
unsigned shared_address(const void *p);
void *shared_pointer(unsigned address);
void cp_async(void *to, const void *from, unsigned bytes, unsigned read);
void cp_async_commit();
void cp_async_wait(unsigned may_remain);

__forceinline__ void mma(WarpOp op, float *c, const unsigned *a,
                         const unsigned *b, Site at = Site::here())
{
    Mma m = {c, a, b};
    warp_call(op, 0xffffffffu, &m, at);
}

/* Like mma above, with sums in fp16, two per register. */
__forceinline__ void mma(WarpOp op, unsigned *c, const unsigned *a,
                         const unsigned *b, Site at = Site::here())
{
    float sum[4];
    for (int i = 0; i < 4; i++)
        sum[i] = from_fp16((uint16_t)(c[i / 2] >> i % 2 * 16));
    mma(op, sum, a, b, at);
    for (int i = 0; i < 2; i++)
        c[i] = to_fp16(sum[2 * i]) | (unsigned)to_fp16(sum[2 * i + 1]) << 16;
}

/* tf32: fp32 without its last 13 bits, rounded to nearest, ties away from 0. */
inline unsigned to_tf32(float x)
{
    return isnan(x) ? 0x7fffffffu : (__float_as_uint(x) + 0x1000u) & ~0x1fffu;
}
inline float from_tf32(unsigned bits)
{
    return __uint_as_float(bits & ~0x1fffu);
}

struct Wgmma {
    float *d;          /* N / 2 registers of this thread */
    const unsigned *a; /* 4 registers; null if A is in shared memory */
    uint64_t A, B;     /* descriptors */
    int N;
    bool add, transposed; /* transposed: B is stored in rows of N elements */
    bool e4m3;            /* A and B are e4m3, otherwise bf16 */
    bool A_transposed = false;
};

/* The arguments of ptx_hopper.h's tensor_map_bf16, _e4m3 and _f32. */
struct Tensor {
    const void *base;
    int columns, rows, seen, matrices;
    int box_columns, box_rows, element; /* element: bytes per element */
};

void init_mbarrier(void *b, unsigned count, const char *name);
void fence_mbarrier_init();
void mbarrier_arrive(void *b, unsigned bytes);
void mbarrier_wait(void *b, unsigned parity);
cudaError_t tensor_map(CUtensorMap *map, const Tensor &t, Site at);
void tma_add(const CUtensorMap *map, const void *from, int column, int row,
             int matrix);
void bulk_commit();
void bulk_wait(unsigned may_remain, bool only_reads);
void tma_load(void *to, const CUtensorMap *map, void *barrier, int column,
              int row, int matrix);
void named_barrier(unsigned id, unsigned threads, bool wait);
void set_registers(unsigned n, bool more);
void fence_proxy_async();
void wgmma(const Wgmma &w);
void wgmma_fence();
void wgmma_commit();
void wgmma_wait(unsigned may_remain);
} // namespace emu
