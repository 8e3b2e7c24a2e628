/* tell.h: CUDA's last error, and whether the program has read it. */
#pragma once
#include <stddef.h>
#include <stdint.h>

#include <string>

#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/language.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/launch.h"
#include "07_cuda/emulator/cuda_on_cpu/include/emulated/host.h"

namespace emu
{
/* An API call failed: it returns this, and cudaGetLastError will too. */
cudaError_t api_error(cudaError_t error);

/* A launch failed. A launch returns nothing: if the program does not read the
 * error before the next launch or the end, that is a mistake, too. */
void launch_error(cudaError_t error, Site launch);
void report_unchecked_error();
bool any_launch_failed(); /* since the program began */
cudaError_t
execution_error(); /* of the launches so far, for what waits for them */

/* Makes the process fail at its end if anything was found. */
void watch_exit();

/* --- What cuda-check prints
 * (summary.cpp)----------------------------------- */

/* A program that was run for cuda-check ends with these. */
enum { status_found = 61, status_cannot = 62 };

/* The launch has its effort: a kernel that was here often is only counted. */
void begin_launch(const Launch &l);
cuda_effort effort_asked();   /* that of the first launches */
void sum_up(const Launch &l); /* the launch is over */
void show_progress(const char *kernel, uint64_t block, uint64_t blocks);
void print_summary();
} // namespace emu
