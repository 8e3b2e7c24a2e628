/* settings.h: the emulator's settings, read from environment variables. */
#pragma once
#include <cuda_on_cpu.h>

namespace emu
{
extern cuda_effort effort;         /* CUDA_ON_CPU */
extern bool like_hardware;         /* CUDA_ON_CPU_ROUND */
extern unsigned seconds_per_block; /* CUDA_ON_CPU_LIMIT; 0 means no limit */
extern unsigned architecture;      /* CUDA_ON_CPU_ARCH: 80, 86, 89 or 90 */
extern bool lockstep;              /* cuda_on_cpu_lockstep */
extern bool summarised;            /* CUDA_ON_CPU_SUMMARY, for cuda-check */

/* Exits with status 2 if an environment variable has an invalid value. */
void read_settings();
bool report_every_launch();

/* Returns a random number below n; 0 without a seed (CUDA_ON_CPU_SEED). */
unsigned random_below(unsigned n);
} // namespace emu
