/* settings.h: the environment variables, read once. */
#pragma once
#include "07_cuda/emulator/cuda_on_cpu/cuda_on_cpu.h"

namespace emu
{
extern cuda_effort effort;         /* CUDA_ON_CPU */
extern bool like_hardware;         /* CUDA_ON_CPU_ROUND */
extern unsigned seconds_per_block; /* CUDA_ON_CPU_LIMIT; 0: no limit */
extern unsigned architecture;      /* CUDA_ON_CPU_ARCH: 80, 86, 89 or 90 */
extern bool summarised; /* CUDA_ON_CPU_SUMMARY: told as cuda-check does */

void read_settings(); /* exits with 2 on a value that isn't allowed */
bool report_every_launch();

/* 0 without CUDA_ON_CPU_SEED, else a number below n from its sequence. */
unsigned random_below(unsigned n);
} // namespace emu
