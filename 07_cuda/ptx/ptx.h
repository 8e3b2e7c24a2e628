/* ptx.h: functions for single PTX instructions. For nvcc they are inline PTX.
 * On the CPU they are functions of the emulator (docs/cuda_on_cpu.md).
 *
 * The tiles of D = A B + C are distributed over the 32 lanes of a warp. With
 * g = lane / 4 and t = lane % 4, a lane has (PTX ISA, mma.m16n8k16):
 *
 *   A, 16 x 16   a[0] = A[g    ][2t, 2t+1]   a[2] = A[g    ][2t+8, 2t+9]
 *                a[1] = A[g + 8][2t, 2t+1]   a[3] = A[g + 8][2t+8, 2t+9]
 *   B, 16 x 8    b[0] = B[2t, 2t+1][g]       b[1] = B[2t+8, 2t+9][g]
 *   C, 16 x 8    c[0], c[1] = C[g][2t, 2t+1]   c[2], c[3] = C[g + 8][..]
 *
 * Elements of A and B have 16 bits. An unsigned has two of them, the first one
 * in its lower half. C is float. */
#pragma once
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#ifdef __CUDACC__
#include "07_cuda/ptx/ptx_gpu.h"
#else
#include <emulated/ptx_cpu.h>
#endif
