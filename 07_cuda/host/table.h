/*
 * The table of the ladder: what each rung costs on the machine that the
 * program runs on. Two of these exist, of which one is linked in: table_cpu.c
 * counts, by the emulator; table_gpu.cu times.
 */
#ifndef CUDA_TABLE_H
#define CUDA_TABLE_H

#include "common/precision.h"

#ifdef __cplusplus
extern "C" {
#endif

/* "the CPU, by the emulator ..." or the name of the GPU. */
const char *table_machine(void);

/* How thorough the program is when nobody has asked: before the first run. */
void table_set_effort(void);

/* Prints the table, the rungs on tensor cores in that type. Returns an exit
 * code. */
int table_of_ladder(precision type);

/* The same, comma-separated, with a header: for plots. */
int table_for_plots(precision type);

#ifdef __cplusplus
}
#endif
#endif
