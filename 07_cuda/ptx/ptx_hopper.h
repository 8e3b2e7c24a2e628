/* ptx_hopper.h: functions for the instructions that only Hopper's rungs use:
 * mbarriers, TMA, wgmma, named barriers, and setmaxnreg. ptx_hopper_gpu.h has
 * their contracts. docs/hopper.md draws the layouts. */
#pragma once
#include "07_cuda/ptx/ptx.h"

/* An mbarrier is in shared memory. It has 8 bytes. */
struct mbarrier {
    unsigned long long state;
};

#ifdef __CUDACC__
#include "07_cuda/ptx/ptx_hopper_gpu.h"
#else
#include <emulated/ptx_hopper_cpu.h>
#endif

/* Returns the descriptor of a wgmma operand of 16-bit elements, a tile with the
 * layout of tensor_map_bf16. panel_bytes is needed only for an operand that is
 * read transposed and has more than 64 columns. It is the distance in bytes
 * from one panel of 64 columns to the next. */
PTX unsigned long long wgmma_operand(const void *tile, int panel_bytes = 16)
{
    unsigned long long at = shared_address(tile) & 0x3ffff;
    unsigned long long panel = (unsigned)panel_bytes;

    return at >> 4 | (panel >> 4) << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

/* Returns the descriptor of a wgmma operand of e4m3 elements, in rows of 64 or
 * 128 bytes. The tile has the layout of tensor_map_e4m3. */
PTX unsigned long long wgmma_operand_e4m3(const void *tile, int row_bytes)
{
    unsigned long long at = shared_address(tile) & 0x3ffff;
    unsigned long long stride = (unsigned)row_bytes * 8;
    unsigned long long swizzle = row_bytes == 128 ? 1 : 2;

    return at >> 4 | 1ull << 16 | stride >> 4 << 32 | swizzle << 62;
}

PTX unsigned long long bytes_on(unsigned long long operand, int bytes)
{
    return operand + (unsigned)(bytes >> 4);
}
