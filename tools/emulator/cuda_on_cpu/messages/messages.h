/* messages.h: CUDA's last error, and the output of cuda-check. */
#pragma once
#include <stdint.h>

#include <cuda_on_cpu.h>
#include "tools/emulator/cuda_on_cpu/include/emulated/host.h"

namespace emu
{
/* Stores the error of an API call for cudaGetLastError, and returns it. */
cudaError_t api_error(cudaError_t error);

/* Stores the error of a launch. If the error is not read before the next launch
 * or the program's end, report_unchecked_error reports a finding. */
void launch_error(cudaError_t error, Site launch);
void report_unchecked_error();

bool any_launch_failed();

/* Returns the error with which a kernel ended, or cudaSuccess. */
cudaError_t execution_error();

/* Makes the process end with a failure status if there are findings. */
void watch_exit();

/* --- Output of cuda-check (summary.cpp) ----------------------------------- */

/* Exit status of a program that cuda-check runs. */
enum { status_found = 61, status_cannot = 62 };

/* Sets the effort, and the counts to the sums of the kernel's past launches. */
void begin_launch(const Launch &l);
void end_launch(const Launch &l);
cuda_effort requested_effort(); /* effort of the first launches */

/* With cuda-check, on a terminal: prints one line about the running kernel. The
 * timer calls show_progress (time_limit.cpp). hide_progress removes the line. */
void show_progress(unsigned seconds);
void hide_progress();
extern uint64_t block_of_grid, blocks_of_grid;

void print_summary();
} // namespace emu
