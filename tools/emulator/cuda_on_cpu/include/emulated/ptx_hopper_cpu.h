/* ptx_hopper_cpu.h: the wrappers that ptx_hopper_gpu.h describes. */
#pragma once
#include "../cuda_fp8.h"
#include "ptx_cpu.h"

struct mbarrier; /* declared in ptx_hopper.h */

using emu::bulk_commit;
using emu::fence_mbarrier_init;
using emu::fence_proxy_async;
using emu::mbarrier_wait;
using emu::shared_address;
using emu::tma_add;
using emu::tma_load;
using emu::wgmma_commit;
using emu::wgmma_fence;

/* This is a macro, so that findings contain the name of the barrier. */
#define mbarrier_init(b, count) emu::init_mbarrier(b, count, #b)
PTX void mbarrier_arrive(mbarrier *b)
{
    emu::mbarrier_arrive(b, 0);
}
PTX void mbarrier_arrive_and_expect(mbarrier *b, unsigned bytes)
{
    emu::mbarrier_arrive(b, bytes);
}

PTX int tensor_map_bf16(CUtensorMap *map, const void *base, int columns,
                        int rows, int seen, int matrices, int box_rows,
                        emu::Site at = emu::Site::here())
{
    return emu::tensor_map(
        map, {base, columns, rows, seen, matrices, 64, box_rows, 2}, at);
}
PTX int tensor_map_e4m3(CUtensorMap *map, const void *base, int columns,
                        int rows, int seen, int matrices, int box_columns,
                        int box_rows, emu::Site at = emu::Site::here())
{
    return emu::tensor_map(
        map, {base, columns, rows, seen, matrices, box_columns, box_rows, 1},
        at);
}
PTX int tensor_map_f32(CUtensorMap *map, const float *base, int columns,
                       int rows, int matrices, int box_rows,
                       emu::Site at = emu::Site::here())
{
    return emu::tensor_map(
        map, {base, columns, rows, rows, matrices, 32, box_rows, 4}, at);
}
template <int may_remain> PTX void bulk_wait_read()
{
    emu::bulk_wait(may_remain, true);
}
template <int may_remain> PTX void bulk_wait()
{
    emu::bulk_wait(may_remain, false);
}

PTX void bar_sync(int id, int threads)
{
    emu::named_barrier((unsigned)id, (unsigned)threads, true);
}
PTX void bar_arrive(int id, int threads)
{
    emu::named_barrier((unsigned)id, (unsigned)threads, false);
}
template <int N> PTX void more_registers()
{
    emu::set_registers(N, true);
}
template <int N> PTX void fewer_registers()
{
    emu::set_registers(N, false);
}

template <int may_remain, int n> PTX void wgmma_wait(float (&)[n])
{
    emu::wgmma_wait(may_remain);
}
template <int n> PTX void wgmma(float (&d)[n], uint64_t a, uint64_t b, bool add)
{
    emu::wgmma({d, nullptr, a, b, 2 * n, add, false, false});
}
template <int n>
PTX void wgmma_transposed(float (&d)[n], const unsigned (&a)[4], uint64_t b,
                          bool add)
{
    emu::wgmma({d, a, 0, b, 2 * n, add, true, false});
}
template <int n>
PTX void wgmma_transposed(float (&d)[n], uint64_t a, uint64_t b, bool add)
{
    emu::wgmma({d, nullptr, a, b, 2 * n, add, true, false, true});
}
template <int n>
PTX void wgmma_e4m3(float (&d)[n], uint64_t a, uint64_t b, bool add)
{
    emu::wgmma({d, nullptr, a, b, 2 * n, add, false, true});
}
template <int n>
PTX void wgmma_e4m3(float (&d)[n], const unsigned (&a)[4], uint64_t b, bool add)
{
    emu::wgmma({d, a, 0, b, 2 * n, add, false, true});
}

PTX unsigned pack_e4m3x4(float x, float y, float z, float w)
{
    return emu::to_e4m3(x) | (unsigned)emu::to_e4m3(y) << 8 |
           (unsigned)emu::to_e4m3(z) << 16 | (unsigned)emu::to_e4m3(w) << 24;
}
