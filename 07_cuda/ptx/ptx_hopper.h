/* ptx_hopper.h: functions for the additional instructions of sm_90a: mbarriers,
 * TMA, wgmma, named barriers, registers moved between warpgroups. They are
 * inline PTX under nvcc, and the emulator's functions on the CPU.
 * ptx_hopper_gpu.h has the contracts. docs/hopper.md draws the layouts. */
#pragma once
#include "07_cuda/ptx/ptx.h"

/* In shared memory, 8 bytes. */
struct mbarrier {
    unsigned long long state;
};

#ifdef __CUDACC__
#include "07_cuda/ptx/ptx_hopper_gpu.h"
#else
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/ptx_hopper_cpu.h"
#endif

/* Returns the descriptor of a wgmma operand of 16-bit elements. Its tiles have
 * the layout of tensor_map_bf16: rows of 128 bytes with the 128-byte swizzle.
 * Eight rows take 1024 bytes. For an operand that is wider than 64 columns and
 * is read transposed, panel_bytes is the distance to the next 64 columns. */
PTX unsigned long long wgmma_operand(const void *tile, int panel_bytes = 16)
{
    unsigned long long at = shared_address(tile) & 0x3ffff;
    unsigned long long panel = (unsigned)panel_bytes;

    return at >> 4 | (panel >> 4) << 16 | 1024ull >> 4 << 32 | 1ull << 62;
}

/* Returns the descriptor of an e4m3 operand that is read by rows of 64 or 128
 * bytes, in the layout of tensor_map_e4m3. */
PTX unsigned long long wgmma_operand_e4m3(const void *tile, int row_bytes)
{
    unsigned long long at = shared_address(tile) & 0x3ffff;
    unsigned long long stride = (unsigned)row_bytes * 8;
    unsigned long long swizzle = row_bytes == 128 ? 1 : 2;

    return at >> 4 | 1ull << 16 | stride >> 4 << 32 | swizzle << 62;
}

/* Returns the operand's descriptor, moved on by so many bytes. */
PTX unsigned long long bytes_on(unsigned long long operand, int bytes)
{
    return operand + (unsigned)(bytes >> 4);
}
